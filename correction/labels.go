package correction

import (
	"bytes"
	"fmt"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/guard"
)

// WriteLabelsCSV atomically writes the labels of a run, one example per line in the order of the training set,
// counted from 0:
//
//	index,clean,noisy
//	0,5,6
//
// It is an error if the slices differ in length.
func WriteLabelsCSV(path string, clean, noisy []int) (err error) {
	defer guard.Wrap(&err, "correction: write labels")
	if len(clean) != len(noisy) {
		return fmt.Errorf("%s: %d clean labels and %d noisy ones", path, len(clean), len(noisy))
	}
	var b bytes.Buffer
	b.WriteString("index,clean,noisy\n")
	for k := range clean {
		fmt.Fprintf(&b, "%d,%d,%d\n", k, clean[k], noisy[k])
	}
	return files.Write(path, b.Bytes(), 0o644)
}
