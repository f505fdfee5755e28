package find

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Labels, true labels and answers keep their classes where the columns have a class between them.
func TestClassesWithoutLabels(t *testing.T) {
	datasettest.Here(t, "p.npy", datasettest.Array("<f4", "2, 3", []float32{.7, .2, .1, .2, .3, .5}))
	crowd, err := annotators.New(2, []string{"p"}, []string{"0", "2"}, []annotators.Answer{{Task: 0, Label: 0}, {Task: 1, Label: 1}})
	if err != nil {
		t.Fatal(err)
	}
	a := Audit{Data: &dataset.Dataset{Classes: []string{"0", "2"}}, Crowd: &Crowd{Answers: crowd}, Note: func(string) {}}
	a.Data.Train = dataset.Split{IDs: []string{"x", "y"}, Labels: []int{0, 1}, Truth: []int{1, -1}}
	if err := (Given{File: "p.npy"}).read(&a, own.Source{}); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]string{"data": a.Data.Classes, "answers": a.Crowd.Classes} {
		if !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("classes of the %s: %q", name, got)
		}
	}
	train := a.Data.Train
	if !slices.Equal(train.Labels, []int{0, 2}) || !slices.Equal(train.Truth, []int{2, -1}) || a.Crowd.List[1].Label != 2 {
		t.Errorf("labels %v, true %v, answers %v", train.Labels, train.Truth, a.Crowd.List)
	}
	if len(a.Probabilities) != 6 || len(a.Findings) != 1 {
		t.Errorf("%v, findings %q", a.Probabilities, a.Findings)
	}
}
