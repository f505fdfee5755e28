package pipeline

import (
	"iter"
	"math"
	"testing"

	"github.com/losscorr/losscorr/dataset"
)

// streamOf is a stream of images of 2 pixels a channel whose red is the row's number.
type streamOf struct{}

func (streamOf) Batches(rows []int64, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for start := 0; start < len(rows); start += size {
			var pixels []byte
			for _, row := range rows[start:min(start+size, len(rows))] {
				pixels = append(pixels, byte(row), byte(row), 10, 20, 7, 7)
			}
			if !yield(pixels, nil) {
				return
			}
		}
	}
}

func (streamOf) Bad() []string { return nil }

// Images that are read when they are needed have the moments of their pixels.
func TestMomentsOfStreamedImages(t *testing.T) {
	s := dataset.Split{Images: streamOf{}, Shape: []int{3, 1, 2}, Labels: make([]int, 201)}
	shift, scale, err := moments("standard", s)
	if err != nil {
		t.Fatal(err)
	}
	// 0 to 200: mean 100, variance (201^2 - 1) / 12.
	for k, want := range []float64{100, 15, 7} {
		if math.Abs(shift.Values[k]-want) > 1e-9 {
			t.Errorf("mean of channel %d is %v, want %v", k, shift.Values[k], want)
		}
	}
	for k, want := range []float64{1 / math.Sqrt((201*201-1)/12.), 1. / 5, 1} {
		if math.Abs(scale.Values[k]-want) > 1e-9 {
			t.Errorf("scale of channel %d is %v, want %v", k, scale.Values[k], want)
		}
	}
}
