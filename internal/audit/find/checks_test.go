package find

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
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
