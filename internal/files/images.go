package files

import (
	"path"
	"slices"
	"strings"
)

// ImageEndings are the endings of the names of images, in lower case. The last five are formats that
// cannot be decoded: such an image counts as broken, so that it is not overlooked.
var ImageEndings = []string{
	".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff",
	".heic", ".heif", ".avif", ".jxl", ".jp2",
}

// IsImage reports whether a file is an image by its name.
func IsImage(name string) bool {
	return slices.Contains(ImageEndings, strings.ToLower(path.Ext(name)))
}
