// Package files finds files in folders that users name.
package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob lists the files of dir that match the pattern, as [fs.Glob] reads it, in
// the order of their names, with dir in front. Brackets and stars in dir stand for
// themselves, which [filepath.Glob] would take for a pattern. A folder that cannot
// be read holds none. It panics where the pattern is malformed.
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

// Delay is called before each use of a run's files. Tests make a slow file system
// of it.
var Delay = func() {}
