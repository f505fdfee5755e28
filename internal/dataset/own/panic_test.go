package own

import (
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/picture"
	"github.com/losscorr/losscorr/internal/guard"
)

func init() {
	image.RegisterFormat("boom", "BOOM", func(io.Reader) (image.Image, error) { panic("boom") },
		func(io.Reader) (image.Config, error) { return image.Config{Width: 8, Height: 8}, nil })
}

// A decoder that panics is an error, in whatever goroutine it works.
func TestPanicOfADecoder(t *testing.T) {
	datasettest.Isolate(t)
	var entries []datasettest.Entry
	for k := range 8 {
		entries = append(entries, datasettest.Entry{Name: fmt.Sprintf("%c/%d.png", 'a'+k%2, k), Content: "BOOM"})
	}
	dir := datasettest.Album(t, entries...)
	var e *guard.PanicError
	for _, side := range []int{0, 16} {
		if _, err := Read(t.Context(), Source{Path: dir, Side: side}, dataset.Options{}); !errors.As(err, &e) ||
			e.Value != "boom" {
			t.Errorf("side %d: %v", side, err)
		}
	}
	files := &picture.Files{Root: dir, Names: []string{filepath.Join("a", "0.png")}, Side: 16,
		Broken: &picture.Broken{Allowed: 9}}
	for _, err := range files.Batches([]int64{0}, 1) {
		if !errors.As(err, &e) || e.Value != "boom" {
			t.Errorf("streamed: %v", err)
		}
	}
}
