// Package archive reads the files of a data set from a folder, a .tar.gz or a .zip. [Open] returns a
// [Container], whose Walk visits each [Member]. [Cached] keeps the decoded data set in the user's cache.
//
// Links in folders are followed. Archives are streamed, never unpacked to disk; links and names that lead out
// of an archive are errors. The cache is the folder losscorr in the user's cache folder, with a file named
// after the hash of each archive. It may be deleted at any time.
package archive
