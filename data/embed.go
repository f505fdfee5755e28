// Package data carries the data sets that are small enough to travel inside the
// program, so that its first run needs no download. Each has its licence beside it.
package data

import "embed"

// Files holds a folder for each data set, as it is published.
//
//go:embed mnist
var Files embed.FS
