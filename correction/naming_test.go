package correction

import (
	"math"
	"math/rand/v2"
	"testing"
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
		asked       float64 // least average precision after 20 answers of the review
	}{
		{"demo", 3000, 10, false, .97}, {"symmetric_2", 12000, 10, false, .99}, {"asymmetric_4", 12000, 10, false, .99},
		{"asymmetric_6", 12000, 10, true, .955}, {"imdb", 12500, 2, false, .83},
	} {
		d := readRecorded(t, data.name, data.examples, data.c)
		classes := digits[:data.c]
		truth := matrixOf(classes, d.labels, d.given)
		audit := func(trusted []Trusted) (*Estimation, *Audited) {
			e, err := Estimate(classes, d.first, d.given, EstimatorOptions{Name: "vertices", Prior: 1, Trusted: trusted, Alone: true})
			if err != nil {
				t.Fatal(err)
			}
			var g []float32
			if data.inverse {
				g, err = CleanPosteriors(Softmax(d.first, data.c), e.T)
			} else {
				g, _, err = Calibrate(d.second, d.given, e.T)
			}
			if err != nil {
				t.Fatal(err)
			}
			a := mustAudit(t, g, d.given, e.T)
			for _, k := range trusted {
				a.Know(k)
			}
			return e, a
		}
		precision := func(a *Audited) float64 {
			return averagePrecision(a.Order(), func(x int) bool { return d.labels[x] != d.given[x] })
		}
		alone, judged := audit(nil)
		without, rowError := precision(judged), RowError(alone.T, truth)
		rng := rand.New(rand.NewPCG(91, 92))
		for _, answers := range []struct {
			how   string
			order []int
		}{{"asked", alone.Ask(judged, nil, 200)}, {"random", rng.Perm(data.examples)[:200]}, {"worst", judged.Order()[:200]}} {
			how, order := answers.how, answers.order
			best := without
			for _, n := range []int{5, 10, 20, 40, 100, 200} {
				var right, some []Trusted
				for k, x := range order[:n] {
					answer := Trusted{x, d.labels[x]}
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
				if far := RowError(e.T, truth); far > rowError+1e-9 {
					t.Errorf("%s, %d %s: row error %.4f, without %.4f", data.name, n, how, far, rowError)
				}
				e, a = audit(some)
				if far := RowError(e.T, truth); far > rowError+1e-9 {
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
func matrixOf(classes []string, labels, given []int) *Matrix {
	counts := zeros(len(classes))
	for x, y := range labels {
		counts[y][given[x]]++
	}
	return (&reading{rows: counts}).matrix(classes)
}

// A mistake of a kind that was not counted does not say that the row is another class's, also
// where all that people have checked are such mistakes: the worst labels of nearly clean data.
func TestRareMistakesKeepNames(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 97))
		const n = 3000
		logits, given := make([]float32, n*10), make([]int, n)
		var trusted []Trusted
		for x := range given {
			class := rng.IntN(10)
			given[x] = class
			for k := range 10 {
				logits[x*10+k] = float32(rng.NormFloat64() / 2)
			}
			logits[x*10+class] += 5
			if class == 0 && len(trusted) < 5 {
				given[x] = 2
				trusted = append(trusted, Trusted{x, class})
			}
		}
		found, err := Estimate(digits, logits, given, EstimatorOptions{Name: "vertices", Prior: 1, Trusted: trusted, Alone: true})
		if err != nil {
			t.Fatal(err)
		}
		if found.T.At(0, 0) < .9 || len(found.Unnamed) > 0 {
			t.Errorf("seed %d: T-hat[0] %.3v, unnamed %v, %v", seed, found.T.Rows()[0], found.Unnamed, found.Warnings)
		}
	}
}

// Posteriors that no mixture of the rows gives do not stop the program.
func TestNamingOfImpossiblePosteriors(t *testing.T) {
	var logits []float32
	var given []int
	for x := range 301 {
		row := []float32{1000, 0, -1000}
		if x%2 == 1 {
			row = []float32{-1000, 0, 1000}
		}
		if x == 300 {
			row = []float32{-1000, 1000, -1000}
		}
		logits, given = append(logits, row...), append(given, x%3)
	}
	found, err := Estimate(digits[:3], logits, given, EstimatorOptions{Name: "vertices", Trusted: []Trusted{{300, 1}, {0, 0}, {1, 2}}, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	if v := found.known(logits); math.IsNaN(v) {
		t.Errorf("known %v", v)
	}
}

// Many trusted labels of a class are weighed by some of them, from the first to the last; few
// are weighed all.
func TestSpaced(t *testing.T) {
	var trusted []Trusted
	for x := range 1000 {
		trusted = append(trusted, Trusted{x, 0})
	}
	trusted = append(trusted, Trusted{1000, 1}, Trusted{1001, 1})
	got := spaced(trusted, 2, 50)
	if len(got) != 52 || got[1].Index != 20 || got[49].Index != 980 || got[51].Index != 1001 {
		t.Errorf("%d labels, %v", len(got), got)
	}
}
