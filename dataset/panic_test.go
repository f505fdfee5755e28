package dataset

import (
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/guard"
)

func init() {
	image.RegisterFormat("boom", "BOOM", func(io.Reader) (image.Image, error) { panic("boom") },
		func(io.Reader) (image.Config, error) { return image.Config{Width: 8, Height: 8}, nil })
}

// A decoder that panics is an error, in whatever goroutine it works.
func TestPanicOfADecoder(t *testing.T) {
	isolate(t)
	var entries []entry
	for k := range 8 {
		entries = append(entries, entry{name: fmt.Sprintf("%c/%d.png", 'a'+k%2, k), content: "BOOM"})
	}
	dir := album(t, entries...)
	var e *guard.PanicError
	for _, side := range []int{0, 16} {
		if _, err := OpenOwn(t.Context(), Source{Path: dir, Side: side}, Options{}); !errors.As(err, &e) || e.Value != "boom" {
			t.Errorf("side %d: %v", side, err)
		}
	}
	files := &imageFiles{root: dir, names: []string{filepath.Join("a", "0.png")}, side: 16, bad: &badImages{allowed: 9}}
	for _, err := range files.Batches([]int64{0}, 1) {
		if !errors.As(err, &e) || e.Value != "boom" {
			t.Errorf("streamed: %v", err)
		}
	}
}
