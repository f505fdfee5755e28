package auditbench

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// bootstraps is how often the judged labels are drawn again for an interval.
const bootstraps = 500

// definition says which judged labels are wrong, by how many of five people chose what.
type definition struct {
	name  string
	wrong func(given, guessed int) bool
}

var definitions = []definition{
	{"not for the given label", func(given, _ int) bool { return given < 3 }},
	{"for the suggested label", func(_, guessed int) bool { return guessed >= 3 }},
}

// errors compares the ranking of given posteriors with self-confidence, cleanlab's default, on the
// labels of two test sets that people have judged, by two definitions of wrong, with
// intervals at 90 % by the bootstrap over the judged labels. Ties are in random order.
func (b *bench) errors(_ context.Context) error {
	header := []string{"data", "wrong_is", "judged", "wrong", "average_precision", "low", "high", "self_confidence", "self_confidence_low", "self_confidence_high", "difference", "difference_low", "difference_high"}
	var records [][]string
	for _, data := range []string{"cifar10", "imdb"} {
		m, err := readMistakes(b.Mistakes, data)
		if err != nil {
			return err
		}
		own, self, err := ranks(m.posteriors, m.given)
		if err != nil {
			return err
		}
		for _, d := range definitions {
			var judged []judgedLabel
			wrong := 0
			for _, a := range m.answers {
				j := judgedLabel{m.place[fmt.Sprint(a.ID)], d.wrong(a.MTurk.Given, a.MTurk.Guessed)}
				if j.wrong {
					wrong++
				}
				judged = append(judged, j)
			}
			record := measured.Record(data, d.name, len(judged), wrong)
			for _, v := range intervals(judged, own, self) {
				record = append(record, measured.Record(v)...)
			}
			records = append(records, record)
			b.say("%s, wrong is %s: %v", data, d.name, record[2:])
		}
	}
	return b.save(header, records)
}

// judgedLabel is a label that people have judged.
type judgedLabel struct {
	row   int
	wrong bool
}

// ranks returns the place of each label in the ranking by T and by self-confidence.
func ranks(path string, given []int) (own, self []float64, err error) {
	a, err := npy.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	values, err := a.Float64s()
	if err != nil {
		return nil, nil, err
	}
	c := a.Shape[1]
	noisy := make([]float32, len(values))
	for k, v := range values {
		noisy[k] = float32(v)
	}
	j, err := judge(noisy, given, c)
	if err != nil {
		return nil, nil, err
	}
	own, self = make([]float64, len(given)), make([]float64, len(given))
	for place, x := range j.order {
		own[x] = float64(place)
	}
	for x, y := range given {
		self[x] = values[x*c+y]
	}
	return own, self, nil
}

// intervals are the average precision of both rankings and their difference, each with its ends.
func intervals(judged []judgedLabel, own, self []float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 3))
	var samples [3][]float64
	for k := range bootstraps + 1 {
		drawn := judged
		if k > 0 {
			drawn = make([]judgedLabel, len(judged))
			for i := range drawn {
				drawn[i] = judged[rng.IntN(len(judged))]
			}
		}
		p, q := precisionOf(drawn, own, rng), precisionOf(drawn, self, rng)
		for i, v := range []float64{p, q, p - q} {
			samples[i] = append(samples[i], v)
		}
	}
	var out []float64
	for _, s := range samples {
		all := s[0]
		slices.Sort(s)
		out = append(out, all, stat.Quantile(.05, stat.LinInterp, s, nil), stat.Quantile(.95, stat.LinInterp, s, nil))
	}
	return out
}

// precisionOf is the average precision of a ranking by score, the least first, with ties in random order.
func precisionOf(judged []judgedLabel, score []float64, rng *rand.Rand) float64 {
	order := rng.Perm(len(judged))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[judged[a].row], score[judged[b].row]) })
	wrong := make([]bool, len(judged))
	for k, j := range judged {
		wrong[k] = j.wrong
	}
	return measured.AveragePrecision(order, wrong)
}
