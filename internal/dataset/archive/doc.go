// Package archive reads the files of a data set from a folder, a .tar.gz or a .zip, and keeps what
// was made of them in the user's cache.
//
// Links in folders are followed. Archives are streamed, never unpacked to disk; one with links, or with names
// that lead out of it, is refused. Data that takes long to unpack or decode is cached in
// the folder losscorr of the user's cache folder, in a file named after the hash of the
// archive; it may be deleted at any time.
package archive
