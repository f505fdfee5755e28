// Package review serves a page on which people check the labels of an audit. It shows one large example with its
// given and suggested labels and examples of both classes, and asks for the right one. Keys do everything that the
// mouse does. A list has all examples: the server filters them, and the page draws only the visible lines.
//
//	session, err := review.Open(folder, review.Options{})
//	...
//	listener, err := review.Listen("", 0)
//	...
//	err = session.Serve(ctx, listener)
//
// Each answer is in decisions.jsonl on the disk before the page shows the next example.
//
// Several people can review at once, each with a name: see [Reviewer]. [audit.Opinions] combines their answers.
//
// The server listens on 127.0.0.1 unless another address is set. The page's address has a random part, since other
// users of the machine can connect as well. Requests with another host name and changes from other sites are
// refused.
package review
