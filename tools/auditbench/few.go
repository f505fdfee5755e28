package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/tools/measured"
)

// fewRow is what an audit says of a few reviews.
type fewRow struct {
	Noise                 string
	Draw, Examples, Wrong int
	Expected, Low, High   float64 // wrong labels, by the audit, and the range of its model
	AveragePrecision, F1  float64
	WrongAfter            int // wrong labels of labels_corrected.csv
	Weak                  bool
}

// fewDraws is how many sets of 1,000 and of 3,000 reviews are drawn for each noise; of 8,000 it is one.
const fewDraws = 3

// fewKinds are the kinds of labels that few audits.
var fewKinds = []struct {
	name     string
	neg, pos float64 // shares of their labels that go wrong
	words    int     // the first ones of a review are all that is left; 0 for all
}{
	{"none", 0, 0, 0}, {"symmetric 0.2", .2, .2, 0}, {"30 % of neg", .3, 0, 0}, {"10 % of neg, 30 % of pos", .1, .3, 0},
	{"25 words, none", 0, 0, 25}, {"25 words, symmetric 0.1", .1, .1, 25},
}

// few audits draws of some training reviews by their words, the view of the weakest networks.
func (b *bench) few(ctx context.Context) error {
	reviews, err := b.reviews("train")
	if err != nil {
		return err
	}
	var rows []fewRow
	for _, examples := range []int{1000, 3000, 8000} {
		for _, kind := range fewKinds {
			t, err := correction.NewMatrix(sentiments, [][]float64{{1 - kind.neg, kind.neg}, {kind.pos, 1 - kind.pos}})
			if err != nil {
				return err
			}
			for draw := range fewDraws {
				if examples == 8000 && draw > 0 || kind.words > 0 && examples != 3000 {
					break
				}
				var some []measured.Review
				for _, k := range rand.New(rand.NewPCG(seed, uint64(examples+draw))).Perm(len(reviews))[:examples] {
					r := reviews[k]
					if words := strings.Fields(r.Text); kind.words > 0 {
						r.Text = strings.Join(words[:min(kind.words, len(words))], " ")
					}
					some = append(some, r)
				}
				n, err := b.imdb(some, t)
				if err != nil {
					return err
				}
				row, err := b.fewOf(ctx, n)
				if err != nil {
					return err
				}
				row.Noise, row.Draw = kind.name, draw+1
				b.say("%+v", row)
				rows = append(rows, row)
				if err := b.saveFew(rows); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fewOf audits texts by their words.
func (b *bench) fewOf(ctx context.Context, n noisy) (row fewRow, err error) {
	a, err := b.audit(ctx, append(n.arguments, "--view", "tfidf")...)
	if err != nil {
		return row, err
	}
	s := a.summary
	if s.Measured == nil {
		return row, fmt.Errorf("the audit of %d texts has not found the true labels", len(n.given))
	}
	row = fewRow{
		Examples: s.Examples, Wrong: s.Measured.Wrong, Weak: s.Weak, AveragePrecision: s.Measured.AveragePrecision, F1: s.Measured.F1,
		Expected: s.ExpectedWrong, Low: s.NoiseRateInterval.Low * float64(s.Examples), High: s.NoiseRateInterval.High * float64(s.Examples),
	}
	corrected, err := a.folder.Labels()
	if err != nil {
		return row, err
	}
	for k, l := range corrected {
		if l.Label != sentiments[n.truth[k]] {
			row.WrongAfter++
		}
	}
	return row, nil
}

// saveFew writes these rows.
func (b *bench) saveFew(rows []fewRow) error {
	var records [][]string
	for _, r := range rows {
		records = append(records, measured.Record(r.Noise, r.Draw, r.Examples, r.Wrong, r.Weak, r.Expected, r.Low, r.High, r.AveragePrecision, r.F1, r.WrongAfter))
	}
	return b.save([]string{"noise", "draw", "examples", "wrong", "weak", "expected", "model_low", "model_high", "average_precision", "f1", "wrong_after"}, records)
}
