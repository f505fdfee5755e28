package find

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Images that look like no class have the largest values, whatever their labels. The order by p_wrong stays.
func TestUnusual(t *testing.T) {
	torchtest.Open(t)
	f, a, _ := hard(t)
	path := t.TempDir()
	datasettest.Put(t, filepath.Join(path, "a", "1.png"), "")
	list := func() []audit.Issue {
		t.Helper()
		expect.Got(a.run(t.Context(), f))(t)
		return expect.Got(f.Issues())(t)
	}
	before := list()
	const d, planted = 24, 8
	rng := rand.New(rand.NewPCG(3, 8))
	train := a.Data.Train
	var features []float32
	for x, truth := range train.Truth {
		for j := range d {
			v := float32(rng.ExpFloat64()) / 2
			if x >= planted && j/4 == truth || x < planted && j/4 == 5 {
				v += 3
			}
			features = append(features, v)
		}
	}
	a.Networks.Source.Path = path
	expect.OK(t, a.compareClasses(features))
	a.Networks.Source.Path = ""
	after := list()
	expect.Same(t, before, after, cmpopts.IgnoreFields(audit.Issue{}, "Unusual"))
	least, most := 1., 0.
	for k, i := range after {
		switch {
		case before[k].Unusual != nil || i.Unusual == nil:
			t.Fatalf("%+v before, %+v after", before[k], i)
		case i.Row < planted:
			least = min(least, *i.Unusual)
		default:
			most = max(most, *i.Unusual)
		}
	}
	if least <= most || least < audit.VeryUnusual {
		t.Errorf("planted images have %.3f at least, others %.3f at most", least, most)
	}
	table := filepath.Join(path, "table.csv")
	datasettest.Put(t, table, "height,width,label\n1,2,a\n2,3,b\n")
	a.unusual, a.Networks.Source.Path, a.Networks.Source.Features = nil, table, []string{"height", "width"}
	expect.Same(t, dataset.Vector, expect.Got(a.Networks.Source.Stored())(t))
	if err := a.compareClasses(features); err != nil || a.unusual != nil {
		t.Errorf("numbers of a table: %v, %v", a.unusual, err)
	}
}
