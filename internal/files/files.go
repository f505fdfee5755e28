// Package files reads, writes, lists and locks files.
package files

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// ImageEndings are the file name endings of images, in lower case. The last five are formats that
// cannot be decoded; such images count as broken, so that nobody overlooks them.
var ImageEndings = []string{
	".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff",
	".heic", ".heif", ".avif", ".jxl", ".jp2",
}

// IsImage reports whether a file has the name of an image.
func IsImage(name string) bool {
	return slices.Contains(ImageEndings, strings.ToLower(path.Ext(name)))
}
