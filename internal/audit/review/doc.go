// Package review serves a page on which people check the labels of an audit. It shows
// one example large, with its given and its suggested label and examples of both
// classes, and asks for the right one; keys do everything that the mouse does. A list
// has all examples, which the server filters and the page draws as far as it is seen.
//
//	session, err := review.Open(folder, review.Options{})
//	...
//	listener, err := review.Listen("", 0)
//	...
//	err = session.Serve(ctx, listener)
//
// Each answer is in decisions.jsonl, on the disk, before the page shows the next example.
//
// Several people review at once, each with a name: see [Reviewer]. What all say together is an
// [audit.Opinions] of each example.
//
// The server listens on 127.0.0.1, unless it is asked for another address. Its address has a random part, for other
// users of a machine may connect as well; requests under another host name, and changes that
// another site asks for, are refused.
package review
