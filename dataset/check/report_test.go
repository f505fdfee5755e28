package check

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/datasettest"
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

// Classes that stand for no value or are values of a quantity are named; signs of numbers are no punctuation.
func TestCheckNames(t *testing.T) {
	var quantity []string
	for k := range 30 {
		quantity = append(quantity, strconv.FormatFloat(float64(k)/4, 'f', -1, 64))
	}
	for want, names := range map[string][]string{
		"": {"-1", "1", "nothing", "+", "-"},
		`4 classes named as programs write a missing label: "NA", "None", "n/a", "?" (400 training labels); if it is missing, leave the cell empty or remove the row`: {"cat", "NA", "dog", "None", "n/a", "?"},
		`1 class with a negative number: "-1" (100 training labels); if it stands for a missing label, leave the cell empty`:                                          {"-1", "0", "1"},
		"all 30 classes are numbers, such as 7.25": quantity,
	} {
		d := &dataset.Dataset{Classes: names}
		for k := range names {
			for range minClass {
				d.Train.Labels = append(d.Train.Labels, k)
			}
		}
		r, err := Run(t.Context(), d, own.Source{}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Findings, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: findings %q, want %q", names, got, want)
		}
	}
}

// What the reader notes about folders is a finding.
func TestNotesAreFindings(t *testing.T) {
	datasettest.Isolate(t)
	images := datasettest.Shaded(t, "cat/2017/a.png", "cat/b.png", "dog/c.png", "dog/d.png")
	s := own.Source{Path: datasettest.Album(t, images...)}
	d, err := own.Open(t.Context(), s, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), d, s, dataset.Options{})
	noted := func(finding string) bool { return strings.HasSuffix(finding, `outer folder: "cat/2017"`) }
	if err != nil || !slices.ContainsFunc(r.Findings, noted) {
		t.Errorf("%v: %q", err, r.Findings)
	}
}
