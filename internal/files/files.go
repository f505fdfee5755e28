// Package files lists files in folders whose names may contain pattern characters.
package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob lists the files of dir that match the pattern, by the rules of [fs.Glob], in the
// order of their names, as paths that begin with dir. Brackets and stars in dir have no
// special meaning, unlike in [filepath.Glob]. A folder that cannot be read has no files.
// Panics if the pattern is malformed.
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
