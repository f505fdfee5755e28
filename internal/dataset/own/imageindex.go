package own

import (
	"path"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"golang.org/x/text/unicode/norm"
)

// imageIndex finds images by their names: first as they are, then in any case, then without the image's ending.
type imageIndex [3]struct{ path, base map[string][]int }

func indexImages(images []string) (x imageIndex) {
	for level := range x {
		x[level].path, x[level].base = map[string][]int{}, map[string][]int{}
		for k, image := range images {
			name := image
			if level == 2 {
				name = stem(name)
			}
			name = x.key(level, name)
			x[level].path[name] = append(x[level].path[name], k)
			x[level].base[path.Base(name)] = append(x[level].base[path.Base(name)], k)
		}
	}
	return x
}

// key returns a name as a level compares it.
func (x *imageIndex) key(level int, name string) string {
	if name = norm.NFC.String(name); level > 0 {
		name = strings.ToLower(name)
	}
	return name
}

// path returns the only image with a path, or -1.
func (x *imageIndex) path(name string) int {
	for k, level := range x {
		if all := level.path[x.key(k, name)]; len(all) == 1 {
			return all[0]
		}
	}
	return -1
}

// files returns the images with a file name.
func (x *imageIndex) files(name string) (all []int) {
	for k, level := range x {
		if all = level.base[x.key(k, name)]; len(all) > 0 {
			break
		}
	}
	return all
}

// stem removes an image's ending.
func stem(name string) string {
	if files.IsImage(name) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}
