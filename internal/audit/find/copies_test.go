package find

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// withFeatures is an audit of named images. These pairs have nearly the same features: 0 and 40, of different
// classes; 1 and 2, which check.Run has found; 3 and the test image 5; and 4 and 5, which are boxes of one image if
// path is a file of annotations.
func withFeatures(t *testing.T, path string) (a work, features [][]float32, notes *[]string) {
	t.Helper()
	const n, tests, d = 300, 30, 24
	rng := rand.New(rand.NewPCG(7, 7))
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}}
	features = make([][]float32, 3)
	for split, count := range map[int]int{0: n, 2: tests} {
		s := data.Splits()[split]
		for k := range count {
			s.Labels, s.IDs = append(s.Labels, k/20%2), append(s.IDs, fmt.Sprintf("%d%d.jpg#%d", split, k, k))
			for range d {
				features[split] = append(features[split], float32(rng.NormFloat64()))
			}
		}
	}
	data.Train.IDs[4], data.Train.IDs[5] = "x.jpg#1", "x.jpg#2"
	same := func(x, y []float32, to, from int) {
		for j := range d {
			x[to*d+j] = y[from*d+j] + .1*float32(rng.NormFloat64())
		}
	}
	train, test := features[0], features[2]
	same(train, train, 40, 0)
	same(train, train, 2, 1)
	same(test, train, 5, 3)
	same(train, train, 5, 4)
	notes = new([]string)
	a = work{Data: data, Host: Host{Note: func(text string) {
		*notes = append(*notes, text)
	}}, Networks: config.Config{Source: own.Source{Path: path}}}
	a.duplicates = pairsOfGroups([]check.Duplicates{{Examples: []check.Example{check.ExampleOf(data, 1),
		check.ExampleOf(data, 2)}}})
	return a, features, notes
}

// Copies are found across classes and splits, but no pair twice, and no overlapping boxes.
func TestFindCopies(t *testing.T) {
	torchtest.Open(t)
	folder := t.TempDir()
	coco := filepath.Join(folder, "coco.json")
	datasettest.Put(t, filepath.Join(folder, "a", "1.png"), "")
	datasettest.Put(t, coco, `{"images":[],"annotations":[],"categories":[]}`)
	want := []string{
		"01.jpg#1 train cat, 02.jpg#2 train cat", "00.jpg#0 train cat, 040.jpg#40 train cat",
		"03.jpg#3 train cat, 25.jpg#5 test cat", "x.jpg#1 train cat, x.jpg#2 train cat",
	}
	for path, skipped := range map[string]int{folder: 0, coco: 1} {
		a, features, notes := withFeatures(t, path)
		a.Data.Train.Labels[40] = 1
		wanted := slices.Clone(want[:len(want)-skipped])
		wanted[1] = strings.Replace(wanted[1], "#40 train cat", "#40 train dog", 1)
		expect.OK(t, a.findCopies(features))
		var got []string
		for _, p := range a.duplicates {
			got = append(got, fmt.Sprintf("%s %s %s, %s %s %s", p.A.ID, p.A.Split, p.A.Label, p.B.ID, p.B.Split, p.B.Label))
			if p.Similarity == nil || *p.Similarity < .9 || *p.Similarity > .9999 || p.Exact {
				t.Errorf("%+v", p)
			}
		}
		slices.Sort(got)
		slices.Sort(wanted)
		expect.Same(t, wanted, got)
		said := fmt.Sprintf(`in the data: %d pairs with nearly the same picture, such as "00.jpg#0" and "040.jpg#40"; 1 with `+
			"different labels: check them; 1 across splits", 3-skipped)
		if len(*notes) != 1 || len(a.Findings) != 1 || !strings.HasPrefix(a.Findings[0], said) {
			t.Errorf("%q, want %q", a.Findings, said)
		}
		counts := audit.Duplicates{Pairs: 4 - skipped, LabelsDiffer: 1, AcrossSplits: 1}
		expect.Same(t, &counts, audit.CountDuplicates(a.duplicates))
	}
	a, features, _ := withFeatures(t, folder)
	a.Crowd = &annotators.Answers{}
	expect.OK(t, a.findCopies(features))
	expect.Same(t, 1, len(a.duplicates)) // with several people's answers
}
