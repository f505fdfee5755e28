package check

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Texts without a word, whatever wrote them, and odd rows are findings.
func TestCheckEmptyTexts(t *testing.T) {
	datasettest.Here(t, "t.jsonl", `{"id": "a", "text": "one", "label": 0}
{"id": "b", "text": null, "label": 1}
{"id": "c", "text": " ?! ", "label": 0}
{"id": "d", "label": 1}
{"id": "e", "text": "two", "label": 1}
`, "t.csv", "id,text,label\na,one,0\nb,,1\n,,\nc,?!,0\nd,,1\ne,two,1\n")
	for _, path := range []string{"t.jsonl", "t.csv"} {
		s := own.Source{Path: path, Text: "text", ID: "id"}
		d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
		r := expect.Got(Run(t.Context(), d, expect.Got(own.Open(s))(t), dataset.Options{}))(t)
		expect.Says(t, r.Text(), "- training texts without any word: 3\n    b\n    c\n    d\n")
	}
}

// Classes named like missing labels are listed; signs of numbers are not punctuation.
func TestCheckNames(t *testing.T) {
	for want, names := range map[string][]string{
		"": {"-1", "1", "nothing", "+", "-"},
		`4 classes named as programs write missing labels: "NA", "None", "n/a", "?"; for a missing label`: {"cat",
			"NA", "dog", "None", "n/a", "?"},
		`1 class named as programs write missing labels: "-1"; for`: {"-1", "0", "1"},
	} {
		d := &dataset.Dataset{Classes: names}
		for k := range names {
			for range minClass {
				d.Train.Labels = append(d.Train.Labels, k)
			}
		}
		r := expect.Got(Run(t.Context(), d, &own.Data{}, dataset.Options{}))(t)
		if got := strings.Join(r.Findings, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: findings %q, want %q", names, got, want)
		}
	}
}
