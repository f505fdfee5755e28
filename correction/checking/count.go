package checking

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Answer is what a person says of a label.
type Answer uint8

// The answers. A label of which several classes are right is not wrong; one of an example that is
// of no class is.
const (
	Unanswered Answer = iota
	Skipped           // the person cannot tell: the label counts as not drawn
	Right
	Wrong     // another class is right
	Ambiguous // several classes are right
	None      // no class is right
)

func (a Answer) wrong() bool { return a == Wrong || a == None }

// confidence is that of the intervals.
const confidence = .9

// Count is what random checks say of all labels.
type Count struct {
	Checked   int            // labels that count
	By        map[Answer]int // the checked ones by their answer
	Ahead     int            // answers that do not count: an earlier check of their stratum has none
	Wrong     float64        // estimated number of wrong labels among all
	Low, High float64        // its interval at 90 %

	Recalibration Recalibration
	Probabilities []float64 // w' of each label; they sum to Wrong

	Strata []Stratum // what the checks say of them, from the least likely wrong labels on
	Model  float64   // sum of w: the number of wrong labels by the model alone

	strata []stratum
}

// Stratum compares the checks of a stratum with the model.
type Stratum struct {
	Size     int     `json:"size"`     // about so many labels
	Checked  int     `json:"checked"`  // of them
	Wrong    int     `json:"wrong"`    // of the checked ones
	Expected float64 `json:"expected"` // wrong ones of the checked, by the model: the sum of w
}

// stratum is what the checks say of a stratum, or of several that had too few.
type stratum struct {
	members  []int // about those of the draw: by rank of w
	checks   []int // examples
	e        []float64
	variance float64 // of e - w'
}

// Count estimates the number of wrong labels among all examples from answers to the first
// checks. w holds the probability of each label to be wrong; it may be another one than that of the
// draw, but not one that knows the answers. Within a stratum the answers count up to the
// first check without one. Strata with fewer than two answers are joined with their
// neighbours.
//
// The variance is that of a stratified sample without replacement, where the variance of e - w'
// within a stratum is that of its checks, and at least the mean of w'(1-w') over its examples; the
// interval at 90 % uses Student's t. If all checked labels are right, or all wrong, the interval
// is that of Clopper and Pearson (1934) for as many checks without strata.
//
// It is an error if w has another length than the examples, there are more answers than checks, or
// fewer than two count.
func (d *Draw) Count(w []float64, answers []Answer) (*Count, error) {
	total := 0
	for _, n := range d.Sizes {
		total += n
	}
	if len(w) != total || len(answers) > len(d.Checks) {
		return nil, fmt.Errorf("checking: count: %d probabilities for %d labels, %d answers to %d checks", len(w), total, len(answers), len(d.Checks))
	}
	c := &Count{By: map[Answer]int{}}
	c.collect(d, w, answers)
	if c.Checked < 2 {
		return nil, fmt.Errorf("checking: count: %d checked labels, want 2 or more", c.Checked)
	}
	c.Model = floats.Sum(w)
	c.compare(w)
	c.recalibrate(w)
	c.Wrong = floats.Sum(c.Probabilities)
	for h := range c.strata {
		s := &c.strata[h]
		residuals := make([]float64, len(s.checks))
		for k, x := range s.checks {
			residuals[k] = s.e[k] - c.Probabilities[x]
		}
		mean, variance := stat.MeanVariance(residuals, nil)
		c.Wrong += float64(len(s.members)) * mean
		s.variance = max(variance, c.spread(s.members))
	}
	c.interval(total)
	c.adjust()
	return c, nil
}

// collect takes the answers that count into strata.
func (c *Count) collect(d *Draw, w []float64, answers []Answer) {
	c.strata = make([]stratum, len(d.Sizes))
	order := make([]int, len(w))
	for x := range order {
		order[x] = x
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w[a], w[b]) })
	begin := 0
	for h, n := range d.Sizes {
		c.strata[h].members = order[begin : begin+n]
		begin += n
	}
	closed := make([]bool, len(d.Sizes)) // an earlier check has no answer
	for k, answer := range answers {
		check := d.Checks[k]
		s := &c.strata[check.Stratum]
		switch {
		case answer == Unanswered:
			closed[check.Stratum] = true
		case answer == Skipped:
		case closed[check.Stratum]:
			c.Ahead++
		default:
			c.Checked++
			c.By[answer]++
			e := 0.
			if answer.wrong() {
				e = 1
			}
			s.checks, s.e = append(s.checks, check.Index), append(s.e, e)
		}
	}
	c.join()
}

// join joins strata with fewer than two checks with their neighbours.
func (c *Count) join() {
	var out []stratum
	for _, s := range c.strata {
		if last := len(out) - 1; last >= 0 && (len(out[last].checks) < 2 || len(s.checks) < 2) {
			out[last].members = slices.Concat(out[last].members, s.members)
			out[last].checks, out[last].e = append(out[last].checks, s.checks...), append(out[last].e, s.e...)
			continue
		}
		out = append(out, s)
	}
	c.strata = out
}

// compare sets Strata.
func (c *Count) compare(w []float64) {
	for _, s := range c.strata {
		row := Stratum{Size: len(s.members), Checked: len(s.checks), Wrong: int(floats.Sum(s.e))}
		for _, x := range s.checks {
			row.Expected += w[x]
		}
		c.Strata = append(c.Strata, row)
	}
}

// Misfit reports whether the model alone says a number outside of the interval at 98 %, which is
// wider than that at 90 % by the quotient of the normal quantiles: labels go wrong in ways that it does
// not describe.
func (c *Count) Misfit() bool {
	const wider = 2.326 / 1.645
	return c.Model < c.Wrong-wider*(c.Wrong-c.Low) || c.Model > c.Wrong+wider*(c.High-c.Wrong)
}

// recalibrate fits w' to the checks, each with the number of labels that it stands for.
func (c *Count) recalibrate(w []float64) {
	var at, e, weights []float64
	for _, s := range c.strata {
		for k, x := range s.checks {
			at, e = append(at, w[x]), append(e, s.e[k])
			weights = append(weights, float64(len(s.members))/float64(len(s.checks)))
		}
	}
	c.Recalibration = recalibrate(at, e, weights)
	c.Probabilities = make([]float64, len(w))
	for x, v := range w {
		c.Probabilities[x] = c.Recalibration.Of(v)
	}
}

// spread is the mean of w'(1-w') over examples.
func (c *Count) spread(members []int) float64 {
	sum := 0.
	for _, x := range members {
		sum += c.Probabilities[x] * (1 - c.Probabilities[x])
	}
	return sum / float64(len(members))
}

// interval sets the interval of Wrong.
func (c *Count) interval(total int) {
	wrong := c.By[Wrong] + c.By[None]
	n := float64(total)
	if wrong == 0 || wrong == c.Checked {
		low, high := clopperPearson(wrong, c.Checked)
		c.Low, c.High = n*low, n*high
	} else {
		half := c.quantile() * math.Sqrt(c.variance(1))
		c.Low, c.High = c.Wrong-half, c.Wrong+half
	}
	least, most := float64(wrong), n-float64(c.Checked-wrong)
	c.Low, c.High = min(max(c.Low, least), most), min(max(c.High, least), most)
	c.Wrong = min(max(c.Wrong, c.Low), c.High)
}

// quantile is that of Student's t.
func (c *Count) quantile() float64 {
	freedom := max(1, c.Checked-len(c.strata))
	return distuv.StudentsT{Sigma: 1, Nu: float64(freedom)}.Quantile((1 + confidence) / 2)
}

// variance is that of Wrong if each stratum had times as many checks.
func (c *Count) variance(times float64) float64 {
	sum := 0.
	for _, s := range c.strata {
		size := float64(len(s.members))
		checks := min(size, times*float64(len(s.checks)))
		sum += size * size * (1/checks - 1/size) * s.variance
	}
	return sum
}

// More returns how many more checks are about needed until the interval reaches as far as share
// times Wrong to both sides; 0 if it does already.
func (c *Count) More(share float64) int {
	half := share * c.Wrong
	if max(c.High-c.Wrong, c.Wrong-c.Low) <= half {
		return 0
	}
	if c.Wrong == 0 {
		return c.total() - c.Checked
	}
	most := float64(c.total()) / float64(c.Checked)
	low, high := 1., most*float64(len(c.strata)) // the latter checks all
	for range 60 {
		middle := math.Sqrt(low * high)
		if c.quantile()*math.Sqrt(c.variance(middle)) > half {
			low = middle
		} else {
			high = middle
		}
	}
	more := 0.
	for _, s := range c.strata {
		more += min(float64(len(s.members)), high*float64(len(s.checks))) - float64(len(s.checks))
	}
	return max(1, int(math.Ceil(more-1e-6)))
}

func (c *Count) total() int { return len(c.Probabilities) }

// adjust moves the shift of the recalibration until the probabilities sum to Wrong, by Newton's
// method with steps of at most 1.
func (c *Count) adjust() {
	z := make([]float64, len(c.Probabilities))
	for x, p := range c.Probabilities {
		z[x] = math.Log(p) - math.Log1p(-p)
	}
	by := 0.
	for range 100 {
		sum, slope := 0., 0.
		for x, v := range z {
			p := sigmoid(v + by)
			c.Probabilities[x] = p
			sum += p
			slope += p * (1 - p)
		}
		step := (c.Wrong - sum) / slope
		if math.Abs(c.Wrong-sum) < 1e-6*float64(len(z)) {
			break
		}
		by += min(max(step, -1), 1)
	}
	c.Recalibration.Shift += by
}

// clopperPearson returns the exact interval of a share of which k of n were drawn.
func clopperPearson(k, n int) (low, high float64) {
	low, high = 0, 1
	const tail = (1 - confidence) / 2
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return low, high
}
