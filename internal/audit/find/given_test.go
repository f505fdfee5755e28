package find

import (
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Labels, true labels and answers keep their classes if the columns add a class between theirs.
func TestClassesWithoutLabels(t *testing.T) {
	datasettest.Here(t, "p.npy", datasettest.Array("<f4", "2, 3", []float32{.7, .2, .1, .2, .3, .5}))
	crowd, err := annotators.New(2, []string{"p"}, []string{"0", "2"}, []annotators.Answer{{Task: 0, Label: 0},
		{Task: 1, Label: 1}})
	expect.OK(t, err)
	a := work{Data: &dataset.Dataset{Classes: []string{"0", "2"}}, Crowd: crowd, Host: Host{Note: func(string) {}}}
	a.Data.Train = dataset.Split{IDs: []string{"x", "y"}, Labels: []int{0, 1}, Truth: []int{1, -1}}
	expect.OK(t, (Given{File: "p.npy"}).read(&a, own.Source{}))
	expect.Same(t, []string{"0", "1", "2"}, a.Data.Classes)
	expect.Same(t, []string{"0", "1", "2"}, a.Crowd.Classes)
	expect.Same(t, []int{0, 2}, a.Data.Train.Labels)
	expect.Same(t, []int{2, -1}, a.Data.Train.Truth)
	expect.Same(t, 2, a.Crowd.List[1].Label)
	if len(a.Probabilities) != 6 || len(a.Findings) != 1 {
		t.Errorf("%v, findings %q", a.Probabilities, a.Findings)
	}
}
