package find

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Of few labels that do not show whether any is wrong no number is said, and of many right ones that none is.
func TestDoubted(t *testing.T) {
	for _, tt := range []struct {
		n      int
		surest float64 // a larger number makes surer probabilities
		want   bool
	}{{200, 1.5, true}, {20_000, 2, false}} {
		s, err := unclear(tt.n, tt.surest).Run(t.Context(), audit.At(filepath.Join(t.TempDir(), "audit")))
		if err != nil {
			t.Fatal(err)
		}
		shown := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, "the given labels show no wrong ones") })
		if s.Doubted != tt.want || !shown || s.NoiseRate > .005 || len(s.ToCheck) > 0 {
			t.Errorf("%d labels: doubted %v, noise rate %v of %v, %d budgets, warnings %q", tt.n, s.Doubted, s.NoiseRate, s.NoiseRateInterval, len(s.ToCheck), s.Warnings)
		}
	}
}

// unclear are labels that are drawn from the probabilities of networks, so that none seems to be wrong.
func unclear(n int, surest float64) Audit {
	a := ofProbabilities("/a")
	rng := rand.New(rand.NewPCG(7, 8))
	a.Data.Train.Labels, a.Probabilities, a.Sums, a.duplicates = nil, nil, make([]uint64, n), nil
	for range n {
		p := float32(1 - .5*math.Pow(rng.Float64(), surest))
		y := rng.IntN(2)
		label := y
		if rng.Float32() > p {
			label = 1 - y
		}
		a.Data.Train.Labels = append(a.Data.Train.Labels, label)
		if y == 1 {
			p = 1 - p
		}
		a.Probabilities = append(a.Probabilities, p, 1-p)
	}
	return a
}

// Where random checks find wrong labels that the given ones do not show, T-hat is not shown beside them, and nothing is
// said by it, neither in the report nor by a review.
func TestDoubtedAgainstChecks(t *testing.T) {
	a := unclear(200, 1.5)
	a.Data.Train.Truth = slices.Clone(a.Data.Train.Labels)
	for i := 0; i < len(a.Data.Train.Truth); i += 4 {
		a.Data.Train.Truth[i] = 1 - a.Data.Train.Truth[i]
	}
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	before, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	checkAtRandom(t, f, a.Data, 60)
	s, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if !before.Doubted || before.CleanAccuracy != 0 || s.Unproven != nil || s.Random.Interval.Low < 5 {
		t.Fatalf("doubted %v, accuracy %v, unproven %v, checks %+v: this is no test", before.Doubted, before.CleanAccuracy, s.Unproven, s.Random)
	}
	shown := slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "how labels go wrong is not known") })
	if s.Doubted || !s.LowT || !shown || s.CleanAccuracy != 0 || s.Random.Misfit || s.NoiseRate != s.Random.Wrong/200 {
		t.Errorf("doubted %v, low T %v, accuracy %v, noise rate %v, %+v, warnings %q", s.Doubted, s.LowT, s.CleanAccuracy, s.NoiseRate, s.Random, s.Warnings)
	}
	html := pageOf(t, f)
	for _, unsaid := range []string{"<h2>How labels go wrong", "<dt>Model range", "by estimate", "expected"} {
		if strings.Contains(html, unsaid) {
			t.Errorf("the page says %q", unsaid)
		}
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Random()
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := audit.ReadDecisions(f.Path(audit.DecisionsFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, checked := j.Answers(r, audit.Last(decisions)).Count(j.Model); !j.Unsaid || checked.Misfit {
		t.Errorf("unsaid %v; a review says %+v", j.Unsaid, checked)
	}
}

// pageOf makes the page of an audit.
func pageOf(t *testing.T, f *audit.Folder) string {
	t.Helper()
	if err := page.Make(t.Context(), f, nil); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(f.Path(audit.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

// oneSided are labels of two classes of which one loses 45 % to the other, and probabilities of networks whose scores
// of the classes have means 2 apart from one another, and a standard deviation of 1.
func oneSided(n int, apart float64) Audit {
	a := ofProbabilities("/a")
	rng := rand.New(rand.NewPCG(3, 2))
	d := &dataset.Dataset{Classes: a.Data.Classes, Train: dataset.Split{Labels: make([]int, n), Truth: make([]int, n)}}
	a.Data, a.Probabilities, a.Sums, a.duplicates = d, nil, make([]uint64, n), nil
	for i := range n {
		y := i % 2
		score := rng.NormFloat64() + float64(2*y-1)*apart
		p := 1 / (1 + math.Exp(-.8*score)) // of class 1
		d.Train.Truth[i], d.Train.Labels[i] = y, y
		if y == 0 && rng.Float64() < .45 {
			d.Train.Labels[i] = 1
		}
		given := float32(p + .45*(1-p))
		a.Probabilities = append(a.Probabilities, 1-given, given)
	}
	return a
}

// checkAtRandom answers random checks of an audit by the truth.
func checkAtRandom(t *testing.T, f *audit.Folder, d *dataset.Dataset, n int) {
	t.Helper()
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.Draw(n)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []audit.Decision
	for _, c := range r.Checks[:n] {
		row := j.Row(c.ID)
		decision := audit.Decision{ID: c.ID, Given: c.Given, Label: c.Given, Action: audit.Accept, Time: audittest.Moment}
		if y := d.Train.Truth[row]; y != d.Train.Labels[row] {
			decision.Label, decision.Action = d.Classes[y], audit.Other
		}
		decisions = append(decisions, decision)
	}
	audittest.Decide(t, f, decisions...)
}

// Where half of the labels of one class may be wrong but do not show it, the numbers are those of few wrong ones and
// the ranking and what random checks look at are those of many. Random checks bear T-hat out.
func TestDoubtedRanking(t *testing.T) {
	const n = 1000
	a := oneSided(n, .6)
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	s, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != 1 {
		t.Errorf("warnings of an estimate that is doubted: %q", s.Warnings)
	}
	if !s.Doubted || s.NoiseRate > .03 {
		t.Fatalf("doubted %v, noise rate %.3f: this is no test", s.Doubted, s.NoiseRate)
	}
	if got := s.Measured.AveragePrecision; got < .6 {
		t.Errorf("average precision %.3f, %.3f of the labels are wrong", got, float64(s.Measured.Wrong)/n)
	}
	j, err := f.Judged()
	if err != nil {
		t.Fatal(err)
	}
	issues, err := f.Issues()
	if err != nil {
		t.Fatal(err)
	}
	for k, issue := range issues[1:] {
		if !issue.Unjudged {
			t.Fatalf("line %d: wrong with probability %v, where no number is said", k+2, issue.PWrong)
		}
		if before := issues[k]; j.Model[before.Row] < j.Model[issue.Row]-1e-6 {
			t.Fatalf("line %d: by the model of random checks %v after %v", k+2, j.Model[issue.Row], j.Model[before.Row])
		}
	}
	if all := floats.Sum(j.Model); all < .1*n || all < 5*s.ExpectedWrong {
		t.Errorf("random checks look at %.0f wrong labels, the numbers are of %.0f", all, s.ExpectedWrong)
	}
	checkAtRandom(t, f, a.Data, 200)
	after, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if after.Doubted || after.LowT || after.HidesT() || after.Unproven != nil || len(after.Warnings) != 0 {
		t.Errorf("doubted %v after the checks, unproven %v, warnings %q", after.Doubted, after.Unproven, after.Warnings)
	}
	if got := after.T[0][1]; got < .3 || got > .6 || after.THigh[0][1] < got || after.TLow[0][1] > got {
		t.Errorf("T-hat has %.2f of class 0's labels wrong (%.2f to %.2f), want .45", got, after.TLow[0][1], after.THigh[0][1])
	}
}

// Where weak networks rank wrong labels worse than chance, since the class that gains them is likelier, random checks
// tell it, and T-hat ranks them.
func TestWeakRankingByChecks(t *testing.T) {
	a := oneSided(1500, .25)
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	before, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	checkAtRandom(t, f, a.Data, 150)
	after, err := a.Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	chance := float64(before.Measured.Wrong) / 1500
	if !before.Weak || !after.Weak || before.Unproven != nil || before.Measured.AveragePrecision > chance {
		t.Fatalf("weak %v, then %v, average precision %.3f of %.3f by chance: this is no test", before.Weak, after.Weak, before.Measured.AveragePrecision, chance)
	}
	if after.Random.Misfit { // of the sum of 1 - p, which is no number of wrong labels
		t.Errorf("the model is said to have expected %.0f wrong labels", after.Random.Model)
	}
	checkWeakCount(t, f, after)
	if got := after.Measured.AveragePrecision; got < chance+.1 || after.Unproven == nil {
		t.Errorf("average precision %.3f, before the checks %.3f; T %v", got, before.Measured.AveragePrecision, after.Unproven)
	}
}

// checkWeakCount checks that the numbers of weak networks are those of random checks, and that nothing else is said.
func checkWeakCount(t *testing.T, f *audit.Folder, s audit.Summary) {
	t.Helper()
	read, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for _, class := range read.Classes {
		sum += class.ExpectedWrong
	}
	n := float64(s.Examples)
	if read.NoiseRate != s.Random.Wrong/n || read.ExpectedWrong != s.Random.Wrong || read.NoiseRateInterval.High != s.Random.Interval.High/n || math.Abs(sum-s.Random.Wrong) > 1 {
		t.Errorf("noise rate %v of %v, %v wrong, by class %v; the checks say %+v", read.NoiseRate, read.NoiseRateInterval, read.ExpectedWrong, read.Classes, s.Random)
	}
	data, err := os.ReadFile(f.Path(audit.SummaryFile))
	if err != nil || strings.Contains(string(data), `"noise_rate": null`) || !strings.Contains(string(data), `"flagged": null`) || strings.Contains(string(data), `"flagged": 0`) {
		t.Errorf("%v: %s", err, data)
	}
	if key := regexp.MustCompile(`"[A-Z]\w*":`).Find(data); key != nil {
		t.Errorf("a key of summary.json is %s", key)
	}
	if html := pageOf(t, f); strings.Contains(html, "<dd>0 %") || strings.Contains(html, "reports no counts") || !strings.Contains(html, "Wrong labels by class") {
		t.Error(html)
	}
}
