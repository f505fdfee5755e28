// Package files reads, writes, lists and locks files.
package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob lists the files of dir that match the pattern of [fs.Glob], sorted by name, as paths
// that start with dir. Unlike in [filepath.Glob], brackets and stars in dir have no special
// meaning. An unreadable folder has no files. Panics if the pattern is malformed.
func Glob(dir, pattern string) []string {
	found, err := fs.Glob(os.DirFS(dir), filepath.ToSlash(pattern))
	if err != nil {
		panic(err)
	}
	for i, name := range found {
		found[i] = filepath.Join(dir, name)
	}
	return found
}
