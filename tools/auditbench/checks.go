package auditbench

import (
	"math"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/audit"
)

// humanRow compares an audit of labels that people gave with the truth and with cleanlab. A
// value that was not measured is 0.
type humanRow struct {
	Labels          string
	Draw            int
	Examples, Wrong int
	Weak            bool

	Expected, Low, High float64 // number of wrong labels by the model, and its range
	AveragePrecision    float64
	FirstStage          float64 // of losscorr's ranking by the posteriors that cleanlab has
	Cleanlab            float64 // its best score
	CleanlabScore       string
	Neighbours          float64 // average precision of the share of 30 neighbours with another label
	F1, CleanlabF1      float64 // of p_wrong above .5, and of find_label_issues
	Calibration         float64 // mean distance of p_wrong from the share of wrong labels, in ten bins
	Seconds             float64

	Checks []checkedRow // by checkCounts
}

// checkedRow is the mean of simulated random checks.
type checkedRow struct {
	Coverage    float64 // share of intervals that hold the true number
	Half        float64 // of the interval, as a share of the true number
	Calibration float64 // of the recalibrated p_wrong
	F1          float64 // of the recalibrated p_wrong above .5
	BestF1      float64 // above the threshold that is best by the recalibrated p_wrong
}

// checkCounts are the numbers of random checks that are simulated, audits how often each.
var checkCounts = []int{50, 100, 200, 400}

const audits = 40

// measureChecks simulates random checks by people who know the truth.
func (r *humanRow) measureChecks(folder *audit.Folder, wrong []bool) error {
	j, err := folder.Judged()
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	r.Calibration = calibrationError(j.Model, wrong)
	for _, n := range checkCounts {
		var c checkedRow
		for range audits {
			d, err := checking.NewDraw(j.Model, n, 0, rng)
			if err != nil {
				return err
			}
			answers := make([]checking.Answer, len(d.Checks))
			for k, check := range d.Checks {
				answers[k] = checking.Right
				if wrong[check.Index] {
					answers[k] = checking.Wrong
				}
			}
			count, err := d.Count(j.Model, answers)
			if err != nil {
				return err
			}
			if truth := float64(r.Wrong); count.Low <= truth && truth <= count.High {
				c.Coverage += 1. / audits
			}
			c.Half += (count.High - count.Low) / 2 / max(1, float64(r.Wrong)) / audits
			c.Calibration += calibrationError(count.Probabilities, wrong) / audits
			threshold, _ := checking.BestThreshold(count.Probabilities)
			c.F1 += f1Above(count.Probabilities, wrong, .5) / audits
			c.BestF1 += f1Above(count.Probabilities, wrong, threshold) / audits
		}
		r.Checks = append(r.Checks, c)
	}
	return nil
}

// calibrationError is the mean distance of probabilities from the share of wrong labels in ten bins.
func calibrationError(p []float64, wrong []bool) float64 {
	var bins [10]float64
	for x, v := range p {
		bin := min(9, int(10*v))
		bins[bin] += v
		if wrong[x] {
			bins[bin]--
		}
	}
	sum := 0.
	for _, v := range bins {
		sum += math.Abs(v) / float64(len(p))
	}
	return sum
}

// f1Above is F1 of the labels with a probability above a threshold.
func f1Above(p []float64, wrong []bool, threshold float64) float64 {
	var flagged, hits, all float64
	for x, v := range p {
		if wrong[x] {
			all++
		}
		if v > threshold {
			flagged++
			if wrong[x] {
				hits++
			}
		}
	}
	return 2 * hits / max(1, flagged+all)
}
