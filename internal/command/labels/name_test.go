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

// A new file of answers takes the place of a former one, whose answers it has.
func TestWithChecked(t *testing.T) {
	for command, want := range map[string]string{
		"losscorr audit 'my x.csv' --id id":                  "losscorr audit 'my x.csv' --id id --checked 'b 2.csv'",
		"losscorr audit x.csv --checked 'a 1.csv' --id id":   "losscorr audit x.csv --id id --checked 'b 2.csv'",
		"losscorr audit --checked=a.csv x.csv --checked c":   "losscorr audit x.csv --checked 'b 2.csv'",
		"losscorr audit x.csv '--checked=a 1.csv' --out 'a'": "losscorr audit x.csv --out a --checked 'b 2.csv'",
	} {
		if got := withChecked(command, "b 2.csv"); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}
