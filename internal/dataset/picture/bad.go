package picture

import (
	"errors"
	"fmt"
	"sync"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Broken collects the missing and broken images of all splits of a data set. It is safe for
// concurrent use.
type Broken struct {
	Container archive.Container
	Allowed   int

	mu  sync.Mutex
	bad map[row]dataset.Skipped
}

// row is an image of a split.
type row struct {
	split *Files
	at    int64
}

// add records an image, and returns an error if there are more than allowed.
func (b *Broken) add(r row, problem error) error {
	b.mu.Lock()
	if b.bad == nil {
		b.bad = map[row]dataset.Skipped{}
	}
	b.bad[r] = dataset.Skipped{Name: r.split.Names[r.at], Why: problem.Error()}
	b.mu.Unlock()
	// More images may be bad, so the number to allow is unknown.
	return badImagesError(b.Container, b.list(nil), b.Allowed, " so far", "fix them, or allow more with --max-bad")
}

// list returns the images of a split, or of all splits if it is nil.
func (b *Broken) list(split *Files) (list []dataset.Skipped) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r, s := range b.bad {
		if split == nil || r.split == split {
			list = append(list, s)
		}
	}
	dataset.SortSkipped(list)
	return list
}

// TooMany returns an error if more images are bad than allowed. bad must be complete.
func TooMany(s archive.Container, bad []dataset.Skipped, allowed int) error {
	return badImagesError(s, bad, allowed, "", fmt.Sprintf("fix or remove them, or leave them out with --max-bad %d",
		len(bad)))
}

func badImagesError(s archive.Container, bad []dataset.Skipped, allowed int, soFar, remedy string) error {
	if len(bad) <= allowed {
		return nil
	}
	limit := ""
	if allowed > 0 {
		limit = fmt.Sprintf(", more than the %d that --max-bad allows", allowed)
	}
	return fmt.Errorf("%s: %w: %d are missing or do not decode%s%s: %s: %s",
		s.Path, errBadImages, len(bad), soFar, limit, remedy, humanize.Listed(dataset.SkippedLines(bad), 5))
}

var errBadImages = errors.New("damaged images")
