package annotatorsbench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/tools/measured"
)

// The consensus of each data set is checked so often, by so many labels that are drawn at random.
const (
	randomChecks = 100
	repeated     = 400
)

// checkedRow is what random checks say of a consensus.
type checkedRow struct {
	data          string
	labels, wrong int     // of the consensus
	model         float64 // expected number of wrong labels, by the model alone
	mean          float64 // of the counts
	within        float64 // share of the counts that are .8 to 1.25 of the true one
	covered       float64 // share of the 90 % intervals that hold the true number
	width         float64 // mean half width of the intervals over the true number
	off           float64 // mean distance of the counts from the true number, over it
}

// measureChecks simulates losscorr review --random on the consensus of the audit: people who
// say of each label that is drawn whether it is right.
func (b *bench) measureChecks(ctx context.Context, data crowd) error {
	folder, _, err := b.audit(ctx, data)
	if err != nil {
		return err
	}
	judged, err := folder.Judged()
	if err != nil {
		return err
	}
	r := checkedRow{data: data.name, labels: len(judged.Given)}
	for i, y := range judged.Given {
		r.model += judged.Model[i]
		if y != data.truth[i] {
			r.wrong++
		}
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	for range repeated {
		draw, err := checking.NewDraw(judged.Model, randomChecks, randomChecks, rng)
		if err != nil {
			return err
		}
		answers := make([]checking.Answer, len(draw.Checks))
		for k, c := range draw.Checks {
			answers[k] = checking.Right
			if judged.Given[c.Index] != data.truth[c.Index] {
				answers[k] = checking.Wrong
			}
		}
		count, err := draw.Count(judged.Model, answers)
		if err != nil {
			return err
		}
		r.add(count)
	}
	truth := float64(r.wrong)
	b.checks = append(b.checks, measured.Record(r.data, r.labels, r.wrong, randomChecks, repeated, r.model/truth, r.mean/truth, r.within, r.covered, r.width, r.off))
	fmt.Fprintf(b.out, "%-12s %d wrong of %d, by the model %.1f; by %d random checks %.1f on average, %.0f %% within .8 to 1.25, %.0f %% covered\n",
		r.data, r.wrong, r.labels, r.model, randomChecks, r.mean, 100*r.within, 100*r.covered)
	return nil
}

// add takes the count of one of the repetitions into the means.
func (r *checkedRow) add(c *checking.Count) {
	truth := float64(r.wrong)
	r.mean += c.Wrong / repeated
	if ratio := c.Wrong / truth; ratio >= .8 && ratio <= 1.25 {
		r.within += 1. / repeated
	}
	if c.Low <= truth && truth <= c.High {
		r.covered += 1. / repeated
	}
	r.width += (c.High - c.Low) / 2 / truth / repeated
	r.off += max(c.Wrong-truth, truth-c.Wrong) / truth / repeated
}
