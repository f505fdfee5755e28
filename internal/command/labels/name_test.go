package labels

import (
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/own"
)

// An audit is named after its data, whose name may have dots.
func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"in/data.2023.csv": "data.2023", "X.NPY": "X", "photos.tar.gz": "photos", "photos/": "photos", "r.jsonl.gz": "r",
		".csv": ".csv", "v1.2": "v1.2",
	} {
		if got := nameOf(own.Source{Path: path}); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

// What repeats an audit names no file of answers, which its folder has.
func TestRepeated(t *testing.T) {
	for command, want := range map[string]string{
		"losscorr audit 'my x.csv' --id id":                          "losscorr audit 'my x.csv' --id id",
		"losscorr audit x.csv --answers-from 'a 1.csv' --id id":      "losscorr audit x.csv --id id",
		"losscorr audit --answers-from=a.csv x.csv --answers-from c": "losscorr audit x.csv",
	} {
		if got := repeated(command); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}
