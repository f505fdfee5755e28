package checking

import (
	"cmp"
	"fmt"
	"math"
)

// Count is an estimate of the number of wrong labels from random checks.
type Count struct {
	Checked   int     // checks that count
	Wrong     float64 // estimated number of wrong labels
	Low, High float64 // interval of Wrong at 90 %

	w      []float64
	checks []Check // checks that count
	wrong  []bool  // their answers
}

// minUncertainty keeps w in [minUncertainty, 1 - minUncertainty]. If w called thousands of labels certainly wrong,
// the few right ones among them would rarely be drawn but cause most of the variance.
const minUncertainty = .002

// NewCount estimates the number of wrong labels from the answers to checks:
//
//	Wrong = sum of w + mean over the checks of (e - w)/q
//
// where answers[k] answers checks[k]. w holds the probability of a wrong label for each example, fixed before the
// draw, and is clipped to [.002, .998]. Only answers before the first unanswered check count.
//
// Wrong lies between the number of labels found wrong and the number not found right. If no checked label is wrong,
// Wrong is 0 unless w predicts wrong labels among those not drawn and Student's interval lies above 0. If all are
// wrong, the same applies at the upper end.
//
// It is an error if w leaves [0, 1], there are more answers than checks, the Index of a check is outside of w or its
// Chance outside of (0, 1], or fewer than two answers count.
func NewCount(w []float64, checks []Check, answers []Answer) (*Count, error) {
	c := &Count{w: make([]float64, len(w))}
	for x, v := range w {
		c.w[x] = min(max(v, minUncertainty), 1-minUncertainty)
	}
	if err := cmp.Or(validate(w), c.collect(checks, answers)); err != nil {
		return nil, err
	}
	all := c.parts(make([]int, len(w)), 1)[0]
	c.Wrong, c.Low, c.High = c.interval(all)
	switch _, low, high := c.student(all); {
	case all.wrong == 0 && low <= 0:
		c.Wrong = 0
	case all.right == 0 && high >= all.size:
		c.Wrong = all.size
	}
	return c, nil
}

// collect keeps the checks that count.
func (c *Count) collect(checks []Check, answers []Answer) error {
	if len(answers) > len(checks) {
		return fmt.Errorf("checking: %d answers to %d checks", len(answers), len(checks))
	}
	ahead := false // whether an earlier check has no answer
	for k, answer := range answers {
		check := checks[k]
		if check.Index < 0 || check.Index >= len(c.w) || !(check.Chance > 0 && check.Chance <= 1) {
			return fmt.Errorf("checking: check %d: example %d of %d with chance %v is out of range", k, check.Index,
				len(c.w), check.Chance)
		}
		switch {
		case answer == Unanswered:
			ahead = true
		case answer == Skipped:
		case !ahead:
			c.Checked++
			c.checks, c.wrong = append(c.checks, check), append(c.wrong, answer.wrong())
		}
	}
	if c.Checked < 2 {
		return fmt.Errorf("checking: %d checks count: answer at least 2", c.Checked)
	}
	return nil
}

// More estimates how many more checks bring the half-width of the interval down to share times Wrong, 0 if it is
// there already. Before any wrong label is found, it returns the number of unchecked examples.
func (c *Count) More(share float64) int {
	reach, want := max(c.High-c.Wrong, c.Wrong-c.Low), share*c.Wrong
	switch {
	case reach <= want:
		return 0
	case want <= 0:
		return max(1, len(c.w)-c.Checked)
	}
	n := float64(c.Checked)
	return int(math.Ceil(n*math.Pow(reach/want, 2) - n)) // reach shrinks with the root of the number of checks
}
