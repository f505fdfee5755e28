package judging

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/correctiontest"
	"github.com/losscorr/losscorr/correction/estimators"
)

// Right answers of a review make an audit better or leave it as it is, whatever was asked
// about and however often: the average precision with the answers never falls by more than
// .005, and T-hat is never further from the matrix of the data than without answers. Where
// one of ten answers is wrong, T-hat is as good, and the ranking loses little more than the
// places of the examples with a wrong answer.
//
// Networks of audits of 3,000 images (losscorr demo), of MNIST at symmetric .2, asymmetric
// .4 and .6, where labels alone do not name the rows, and of IMDB with 30 % of neg wrong.
func TestAnswersNeverHarm(t *testing.T) {
	for _, data := range []struct {
		name        string
		examples, c int
		inverse     bool    // the second networks were trained with rows under wrong names
		refit       bool    // T is fitted to all labels
		asked       float64 // least average precision after 20 answers of the review
	}{
		{"demo", 3000, 10, false, false, .97}, {"symmetric_2", 12000, 10, false, false, .99}, {"asymmetric_4", 12000, 10, false, false, .99},
		{"asymmetric_6", 12000, 10, true, false, .955}, {"imdb", 12500, 2, false, false, .83},
		{"demo", 3000, 10, false, true, .965}, {"asymmetric_6", 12000, 10, true, true, .955}, {"imdb", 12500, 2, false, true, .83},
	} {
		d := correctiontest.ReadRecorded(t, data.name, data.examples, data.c)
		classes := correctiontest.Digits[:data.c]
		truth := matrixOf(classes, d.Labels, d.Given)
		audit := func(trusted []correction.Trusted) (*estimators.Estimation, *Audited) {
			e, err := estimators.Estimate(classes, d.First, d.Given, estimators.Options{Name: "vertices", Prior: 1, Trusted: trusted, Alone: true})
			if err != nil {
				t.Fatal(err)
			}
			var g []float32
			if data.inverse {
				g, err = CleanPosteriors(correction.Softmax(d.First, data.c), e.T)
			} else {
				g, _, err = Calibrate(d.Second, d.Given, e.T)
			}
			if err != nil {
				t.Fatal(err)
			}
			if data.refit {
				r, err := estimators.Refit(g, d.Given, e.T, false)
				if err != nil {
					t.Fatal(err)
				}
				g, e.T = r.G, r.T
			}
			a := mustAudit(t, g, d.Given, e.T)
			for _, k := range trusted {
				a.Know(k)
			}
			return e, a
		}
		precision := func(a *Audited) float64 {
			return correctiontest.AveragePrecision(a.Order(), func(x int) bool { return d.Labels[x] != d.Given[x] })
		}
		alone, judged := audit(nil)
		without, rowError := precision(judged), correction.RowError(alone.T, truth)
		rng := rand.New(rand.NewPCG(91, 92))
		for _, answers := range []struct {
			how   string
			order []int
		}{{"asked", Ask(alone, judged, nil, 200)}, {"random", rng.Perm(data.examples)[:200]}, {"worst", judged.Order()[:200]}} {
			how, order := answers.how, answers.order
			best := without
			for _, n := range []int{5, 20, 100} {
				var right, some []correction.Trusted
				for k, x := range order[:n] {
					answer := correction.Trusted{Index: x, Label: d.Labels[x]}
					right = append(right, answer)
					if k%10 == 9 {
						answer.Label = (answer.Label + 1 + rng.IntN(data.c-1)) % data.c
					}
					some = append(some, answer)
				}
				e, a := audit(right)
				got := precision(a)
				if got < best-.005 {
					t.Errorf("%s, %d %s: average precision %.4f, before %.4f", data.name, n, how, got, best)
				}
				if how == "asked" && n >= 20 && got < data.asked {
					t.Errorf("%s, %d asked: average precision %.4f, want %v", data.name, n, got, data.asked)
				}
				best = max(best, got)
				if far := correction.RowError(e.T, truth); far > rowError+1e-9 {
					t.Errorf("%s, %d %s: row error %.4f, without %.4f", data.name, n, how, far, rowError)
				}
				e, a = audit(some)
				if far := correction.RowError(e.T, truth); far > rowError+1e-9 {
					t.Errorf("%s, %d %s, one of ten wrong: row error %.4f, without %.4f", data.name, n, how, far, rowError)
				}
				if got := precision(a); got < without-.1 {
					t.Errorf("%s, %d %s, one of ten wrong: average precision %.4f, without %.4f", data.name, n, how, got, without)
				}
			}
		}
	}
}

// matrixOf returns the matrix that the labels show.
func matrixOf(classes []string, labels, given []int) *correction.Matrix {
	counts := make([][]float64, len(classes))
	for i := range counts {
		counts[i] = make([]float64, len(classes))
	}
	for x, y := range labels {
		counts[y][given[x]]++
	}
	return correction.Normalized(classes, counts)
}

func estimateJudged(t *testing.T, e correctiontest.Example, opt estimators.Options) *estimators.Estimation {
	t.Helper()
	found, err := estimators.Estimate(e.T.Classes(), e.Logits, e.Noisy, opt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
