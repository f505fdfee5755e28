package own

import (
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"golang.org/x/text/unicode/norm"
)

// likenesses are ways to compare a label's name with an image's, each looser than the one before:
// exact, in one form of Unicode, without case, and without the image's ending.
var likenesses = [...]struct{ given, image func(name string) string }{
	{same, same},
	{norm.NFC.String, norm.NFC.String},
	{folded, folded},
	{folded, func(name string) string { return folded(stem(name)) }},
}

// withoutCase is the place in likenesses of names in any case with endings.
const withoutCase = 2

func same(name string) string { return name }

func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// stem removes an image's ending.
func stem(name string) string {
	if files.IsImage(name) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// nameIndex finds images by similar names.
type nameIndex struct {
	images []string
	alike  [len(likenesses)]*lookup // nil until used
}

// lookup has the places of images by path and by file name.
type lookup struct{ path, base map[string][]int }

func (x *nameIndex) by(likeness int) *lookup {
	if l := x.alike[likeness]; l != nil {
		return l
	}
	l := &lookup{make(map[string][]int, len(x.images)), make(map[string][]int, len(x.images))}
	for k, image := range x.images {
		name := likenesses[likeness].image(image)
		l.path[name] = append(l.path[name], k)
		l.base[path.Base(name)] = append(l.base[path.Base(name)], k)
	}
	x.alike[likeness] = l
	return l
}

// free returns the places without a label.
func free(places []int, taken map[int]bool) []int {
	return slices.DeleteFunc(slices.Clone(places), func(k int) bool { return taken[k] })
}
