package files

import (
	"path"
	"slices"
	"strings"
)

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
