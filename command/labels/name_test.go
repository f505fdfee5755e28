package labels

import (
	"testing"

	"github.com/losscorr/losscorr/dataset/own"
)

// An audit is named after its data, whose name may have dots.
func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"in/data.2023.csv": "data.2023", "X.NPY": "X", "photos.tar.gz": "photos", "photos/": "photos", "r.jsonl.gz": "r", ".csv": ".csv", "v1.2": "v1.2",
	} {
		if got := nameOf(own.Source{Path: path}); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}
