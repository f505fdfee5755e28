package dataset

import (
	"maps"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/internal/humanize"
)

// badImages holds the images of a data set that are missing or cannot be decoded, over
// all its splits. It is safe for concurrent use.
type badImages struct {
	source  source
	allowed int

	mu  sync.Mutex
	why map[string]string // by name
}

// add records an image. The error says that there are more than allowed.
func (b *badImages) add(name string, problem error) error {
	b.mu.Lock()
	if b.why == nil {
		b.why = map[string]string{}
	}
	b.why[name] = problem.Error()
	b.mu.Unlock()
	return tooManyBadSoFar(b.source, b.list(), b.allowed)
}

// list has a line for each: its name, and why.
func (b *badImages) list() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for _, name := range slices.Sorted(maps.Keys(b.why)) {
		list = append(list, humanize.Visible(name+": "+b.why[name]))
	}
	return list
}
