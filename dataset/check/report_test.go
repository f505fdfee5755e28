package check

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// Pairs of classes that may be one are a finding for each reason, not for each pair.
func TestCheckGroupsSimilarClasses(t *testing.T) {
	names := []string{"cat", "Cat", "dog", "dog ", "bird", "BIRD", "elephant", "elefhant"}
	d := &dataset.Dataset{}
	for _, name := range names {
		for range minClass {
			d.Train.Labels = append(d.Train.Labels, len(d.Classes))
		}
		d.Classes = append(d.Classes, name)
	}
	r, err := Run(t.Context(), d, own.Source{}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`3 pairs of classes differ only by case, spaces or punctuation, such as "cat" and "Cat": perhaps each pair is one`,
		`the classes "elephant" and "elefhant" differ only by spelling: perhaps they are one`,
	}
	if got := strings.Join(r.Findings, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("findings:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	if text := r.Text(); !strings.Contains(text, "    \"bird\" and \"BIRD\"\n") {
		t.Errorf("no pair in\n%s", text)
	}
}
