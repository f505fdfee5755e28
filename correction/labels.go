package correction

import (
	"fmt"
	"strconv"

	"github.com/losscorr/losscorr/internal/files"
)

// WriteLabelsCSV writes the labels of a run to a file, atomically, one example per
// line in the order of the training set, counted from 0:
//
//	index,clean,noisy
//	0,5,6
//
// It is an error if the slices differ in length.
func WriteLabelsCSV(path string, clean, noisy []int) error {
	if len(clean) != len(noisy) {
		return fmt.Errorf("correction: write labels: %s: %d clean labels and %d noisy ones", path, len(clean), len(noisy))
	}
	b := []byte("index,clean,noisy\n")
	for k := range clean {
		b = strconv.AppendInt(b, int64(k), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(clean[k]), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(noisy[k]), 10)
		b = append(b, '\n')
	}
	if err := files.Write(path, b, 0o644); err != nil {
		return fmt.Errorf("correction: write labels: %w", err)
	}
	return nil
}
