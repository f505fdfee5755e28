package own

import (
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"golang.org/x/text/unicode/norm"
)

// likenesses are the ways to compare a label's name with an image's, each looser than
// the one before it: as they are, in one form of Unicode, without case, and without the image's ending.
var likenesses = [...]struct{ given, image func(name string) string }{
	{same, same},
	{norm.NFC.String, norm.NFC.String},
	{folded, folded},
	{folded, func(name string) string { return folded(stem(name)) }},
}

// withoutCase is the place in likenesses of names in any case, with their endings.
const withoutCase = 2

func same(name string) string { return name }

func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// stem cuts the ending of an image off.
func stem(name string) string {
	if files.IsImage(name) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// nameIndex finds images by names like theirs.
type nameIndex struct {
	images []string
	alike  [len(likenesses)]*lookup // nil until it is used
}

// lookup holds the places of images by their paths and by the names of their files.
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

// free returns the places that no label has taken.
func free(places []int, taken map[int]bool) []int {
	return slices.DeleteFunc(slices.Clone(places), func(k int) bool { return taken[k] })
}
