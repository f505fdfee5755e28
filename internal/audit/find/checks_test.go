package find

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// hard is an audit of labels with mistakes on hard examples, as people make them.
func hard(t *testing.T) (f *audit.Folder, a work, wrong map[string]bool) {
	t.Helper()
	const n = 3000
	rng := rand.New(rand.NewPCG(8, 8))
	d := &dataset.Dataset{Classes: []string{"cat", "dog", "none"}, Train: dataset.Split{Labels: make([]int, n),
		Truth: make([]int, n)}}
	var p []float32
	wrong = map[string]bool{}
	for i := range n {
		truth := i % 3
		other := (truth + 1 + rng.IntN(2)) % 3
		surest := float32(.97)
		if rng.IntN(4) == 0 { // hard: the networks are unsure, and people are often wrong
			surest = .6
		}
		row := []float32{.01, .01, .01}
		row[truth], row[other] = surest, 1-surest-.01
		given := truth
		if share := map[bool]float64{true: .45, false: .01}[surest < .7]; rng.Float64() < share {
			given = other
		}
		d.Train.Labels[i], d.Train.Truth[i] = given, truth
		if given != truth {
			wrong[d.Train.ID(i)] = true
		}
		p = append(p, row...)
	}
	a = work{
		Data: d, Probabilities: p, Host: Host{Note: func(string) {}},
		Request: Request{Command: "losscorr audit", Program: "0"},
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"},
			Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
	}
	return audit.At(t.TempDir()), a, wrong
}

// drawn is a finished audit of hard, and random checks of n of its labels.
func drawn(t *testing.T, n int) (f *audit.Folder, a work, j *audit.Judged, checks []audit.Draw) {
	t.Helper()
	f, a, _ = hard(t)
	expect.Got(a.run(t.Context(), f))(t)
	j = expect.Got(f.Judged())(t)
	return f, a, j, audittest.Draw(t, f, n)
}

// truth is the right answer to a random check.
func truth(a work, j *audit.Judged, c audit.Draw) audit.Decision {
	d := audit.Decision{ID: c.ID, Given: c.Given, Action: audit.Accept, Time: audittest.Moment}
	d.Label = a.Data.Classes[a.Data.Train.Truth[j.Row(c.ID)]]
	if d.Label != d.Given {
		d.Action = audit.Other
	}
	return d
}

// Random checks also count mistakes that depend on the example, and all numbers of the result agree with them.
func TestRandomChecks(t *testing.T) {
	f, a, wrong := hard(t)
	before := expect.Got(a.run(t.Context(), f))(t)
	if w := before.Wrong; before.Random != nil || w.Estimate != nil || w.Low > float64(len(wrong)) ||
		w.High < float64(len(wrong)) {
		t.Errorf("without checks: %+v, %+v, in truth %d", before.Random, w, len(wrong))
	}
	j := expect.Got(f.Judged())(t)
	var decisions []audit.Decision
	for n, c := range audittest.Draw(t, f, 200) {
		d := truth(a, j, c)
		if n == 5 {
			d.Label, d.Action = "", audit.Skip
		}
		decisions = append(decisions, d)
	}
	audittest.Decide(t, f, decisions...)
	after := expect.Got(a.run(t.Context(), f))(t)
	c := after.Random
	if c == nil || c.Checked < 199 || c.Skipped != 1 || c.Asked != 200 {
		t.Fatalf("%+v", c)
	}
	// The draw is random, and the interval misses one truth in ten.
	if math.Abs(c.Wrong-float64(len(wrong))) > c.Interval.High-c.Interval.Low {
		t.Errorf("from %.0f to %.0f wrong, in truth %d", c.Interval.Low, c.Interval.High, len(wrong))
	}
	if w := after.Wrong; w.Estimate == nil || *w.Estimate != c.Wrong || w.Low != c.Interval.Low ||
		w.High != c.Interval.High {
		t.Errorf("the number differs from the checks: %+v, %+v", w, c)
	}
	sum := 0.
	for _, class := range after.Classes {
		sum += *class.Wrong.Estimate
	}
	if math.Abs(sum-c.Wrong) > 1 {
		t.Errorf("the classes have %.1f wrong labels, all have %.1f", sum, c.Wrong)
	}
	if before.Measured.F1 > after.Measured.F1+.01 || after.Pi <= before.Pi {
		t.Errorf("F1 %.3f, before the checks %.3f; pi %.2f and %.2f", after.Measured.F1, before.Measured.F1, after.Pi,
			before.Pi)
	}
	decided := audit.Last(decisions)
	for _, i := range expect.Got(f.Issues())(t) {
		if decided[i.ID].Decides() && (i.PWrong == 1) != wrong[i.ID] {
			t.Errorf("%s is decided, and wrong with the probability %v", i.ID, i.PWrong)
		}
	}
	if after.TrustedLabels != 199 {
		t.Errorf("%d labels are known, want 199", after.TrustedLabels)
	}
}

// The probabilities for a draw and a count do not depend on people's answers.
func TestModelForgetsAnswers(t *testing.T) {
	f, a, before, _ := drawn(t, 10)
	given := func(i int) string { return a.Data.Classes[a.Data.Train.Labels[i]] }
	audittest.Decide(t, f, audit.Decision{ID: "3", Given: given(3), Action: audit.None},
		audit.Decision{ID: "4", Given: given(4), Label: given(4), Action: audit.Accept})
	expect.Got(a.run(t.Context(), f))(t)
	after := expect.Got(f.Judged())(t)
	expect.Same(t, before.Model.Mixture(.5), after.Model.Mixture(.5))
}

// Random checks show evidence of T-hat that labels with weak networks do not.
func TestChecksShowT(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(3, 1))
	d := &dataset.Dataset{Classes: []string{"a", "b"}, Train: dataset.Split{Labels: make([]int, n), Truth: make([]int, n)}}
	p := make([]float32, 0, 2*n)
	for i := range n {
		truth := i % 2
		b := float32(1 / (1 + math.Exp(1.5-3*float64(truth)-1.5*rng.NormFloat64())))
		b += .45 * (1 - b)
		p = append(p, 1-b, b)
		d.Train.Truth[i], d.Train.Labels[i] = truth, truth
		if rng.Float64() < .45 {
			d.Train.Labels[i] = 1
		}
	}
	f, a, _ := hard(t)
	a.Data, a.Probabilities = d, p
	before := expect.Got(a.run(t.Context(), f))(t)
	j := expect.Got(f.Judged())(t)
	for _, c := range audittest.Draw(t, f, 150) {
		audittest.Decide(t, f, truth(a, j, c))
	}
	after := expect.Got(a.run(t.Context(), f))(t)
	if before.Evidence.Shown() || !after.Evidence.Shown() || after.Measured.F1 < .7 {
		t.Errorf("evidence of T-hat %+v, with 150 checks %+v", before.Evidence, after.Evidence)
	}
}

// An audit counts several reviewers' decisions, uses those that they agree on or have settled as random checks
// and trusted labels, and leaves disputed labels to the model.
func TestAuditOfReviewers(t *testing.T) {
	f, a, j, checks := drawn(t, 100)
	if before := expect.Got(f.Summary())(t); before.Reviewed != nil {
		t.Fatal(before.Reviewed)
	}
	said := func(c audit.Draw, reviewer string) audit.Decision {
		d := truth(a, j, c)
		d.Reviewer = reviewer
		return d
	}
	var decisions []audit.Decision
	const last = 10 // decisions by bob
	disputed, settled := checks[last-1], checks[0]
	for k, c := range checks {
		decisions = append(decisions, said(c, "ann"))
		if k < last {
			d := said(c, "bob")
			if c.ID == disputed.ID || c.ID == settled.ID {
				d.Label, d.Action = "", audit.None
			}
			decisions = append(decisions, d)
		}
	}
	settlement, stray := said(settled, "eve"), said(settled, "zed")
	settlement.Why, stray.ID = audit.Settlement, "no example"
	audittest.Decide(t, f, append(decisions, settlement, stray)...)
	after := expect.Got(a.run(t.Context(), f))(t)
	expect.Same(t, &audit.Reviewed{
		Reviewers:  []audit.Reviewer{{Name: "ann", Decided: 100}, {Name: "bob", Decided: last}},
		Agreements: []audit.Agreement{{First: "ann", Second: "bob", Both: last, Same: last - 2}}, Conflicts: 1, Settled: 1,
	}, after.Reviewed, cmpopts.IgnoreFields(audit.Agreement{}, "Kappa"))
	if after.Random != nil { // all checks after the conflict wait, and nine before it are too few
		t.Errorf("%+v", after.Random)
	}
	warnings := strings.Join(after.Warnings, "\n")
	if after.TrustedLabels != 99 || !strings.Contains(warnings, "1 of 101 answers are disputed by reviewers") {
		t.Errorf("%d trusted labels, %q", after.TrustedLabels, after.Warnings)
	}
	settlement = said(disputed, "ann")
	settlement.Why = audit.Settlement
	audittest.Decide(t, f, settlement)
	after = expect.Got(a.run(t.Context(), f))(t)
	if after.Reviewed.Conflicts != 0 || after.Random == nil || after.Random.Checked < 100 {
		t.Errorf("%+v", after.Reviewed)
	}
}

// The labels of similar examples improve the posterior if they add information, and its name mentions them.
func TestAuditWithNeighbours(t *testing.T) {
	f, a, _ := hard(t)
	rng := rand.New(rand.NewPCG(9, 9))
	n := a.Data.Train.Len()
	for x := range n { // the networks are right on six of ten examples
		truth := a.Data.Train.Truth[x]
		a.Data.Train.Labels[x] = truth
		if rng.IntN(5) == 0 {
			a.Data.Train.Labels[x] = (truth + 1) % 3
		}
		row := []float32{.01, .01, .01}
		row[truth], row[(truth+1)%3] = .79, .2
		if rng.IntN(10) < 4 {
			row = []float32{.34, .33, .33}
		}
		copy(a.Probabilities[3*x:], row)
	}
	precision := func() float64 {
		s := expect.Got(a.run(t.Context(), f))(t)
		if near := strings.Contains(s.Posterior, "neighbours"); near != (a.near != nil) {
			t.Errorf("posterior %q", s.Posterior)
		}
		return s.Measured.AveragePrecision
	}
	before := precision()
	for x := range n {
		for k := 1; k <= 10; k++ {
			a.near = append(a.near, int32((x+3*k)%n)) // of the same class
		}
	}
	if after := precision(); after < before+.05 {
		t.Errorf("average precision %.3f, without neighbours %.3f", after, before)
	}
}

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
