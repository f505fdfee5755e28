package check

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

func TestInTraining(t *testing.T) {
	split := func(s dataset.Split, shape ...int) *dataset.Split {
		s.Shape, s.Labels = shape, []int{0, 1, 0}
		return &s
	}
	for name, c := range map[string]struct {
		train, test *dataset.Split
		want        int
	}{
		"numbers": {split(dataset.Split{Features: []float32{1, 2, 3, 4, 5, 6}}, 2),
			split(dataset.Split{Features: []float32{3, 4, 4, 3, 3, 4}}, 2), 2},
		"halves": {split(dataset.Split{Halves: []uint16{1, 2, 3}}, 1), split(dataset.Split{Halves: []uint16{3, 4, 5}}, 1), 1},
		"pixels": {split(dataset.Split{X: []byte("abcdef")}, 2), split(dataset.Split{X: []byte("efghba")}, 2), 1},
		"words": {split(dataset.Split{Tokens: []int32{0, 1, 0, 2, 0, 300}}, 2),
			split(dataset.Split{Tokens: []int32{0, 300, 0, 44, 1, 0}}, 2), 1},
		"texts": {split(dataset.Split{Texts: []string{"a", "b", "c"}}), split(dataset.Split{Texts: []string{"A", "b", "d"}}),
			1},
		"mostly zeros": {
			split(dataset.Split{Sparse: &dataset.Sparse{Starts: []int32{0, 1, 2, 4}, Columns: []int32{3, 4, 0, 1},
				Values: []float32{1, 1, 2, 2}}}, 5),
			split(dataset.Split{Sparse: &dataset.Sparse{Starts: []int32{0, 1, 3, 4}, Columns: []int32{4, 0, 1, 2},
				Values: []float32{1, 2, 2, 1}}}, 5), 2,
		},
		"not in memory": {split(dataset.Split{}, 2), split(dataset.Split{}, 2), 0},
	} {
		expect.Same(t, c.want, InTraining(c.train, c.test), name)
	}
}
