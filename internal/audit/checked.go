package audit

import (
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/humanize"
)

// Checked is what random checks say of all labels, as random_checks of summary.json.
type Checked struct {
	Asked     int                 `json:"asked"`   // labels that were drawn to be checked
	Checked   int                 `json:"checked"` // of them, those that count
	Wrong     float64             `json:"wrong"`   // estimated number of wrong labels among all
	Interval  correction.Interval `json:"interval"`
	Right     int                 `json:"right"`     // checked labels that are right
	Changed   int                 `json:"changed"`   // for which another class is right
	Ambiguous int                 `json:"ambiguous"` // for which several classes are right; these are not wrong
	None      int                 `json:"none"`      // whose example is of no class; these are wrong
	Skipped   int                 `json:"skipped"`   // which people could not tell
	Ahead     int                 `json:"ahead"`     // answers that do not count: an earlier check of their stratum has none
	Model     float64             `json:"model"`     // number of wrong labels by the model alone
	Misfit    bool                `json:"misfit"`    // Model is outside of the interval at 98 %: labels go wrong in ways that the model does not describe; false where the model says no number
	Strata    []checking.Stratum  `json:"strata"`    // what was found where the model expected what
	Threshold float64             `json:"threshold"` // of p_wrong above which flagging gives the best expected F1
	Shift     float64             `json:"shift"`     // of the recalibration of logit p_wrong
	Slope     float64             `json:"slope"`
	Rounds    []Round             `json:"rounds"` // how the interval shrank, the last one by all checks
	More      []More              `json:"more"`   // how many more checks narrower intervals need, of those that were drawn
}

// Round is the count after some of the checks.
type Round struct {
	Checked int     `json:"checked"`
	Wrong   float64 `json:"wrong"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// More says how many more checks an interval needs that reaches as far as Share of the count to both sides.
type More struct {
	Share  float64 `json:"share"`
	Checks int     `json:"checks"`
}

// widths are the shares of Checked.More.
var widths = []float64{.3, .2, .1, .05}

// leastChecks is the number of checks from which on a count is reported.
const leastChecks = 10

// Answers are the random checks of a folder with what people say of them.
type Answers struct {
	draw    *checking.Draw
	asked   int
	answers []checking.Answer
	unsaid  bool // as of Judged
}

// Answers takes the answers to random checks from what people say (Folder.Said), by the names of the examples.
func (j *Judged) Answers(r *Random, decisions map[string]Decision) *Answers {
	a := &Answers{draw: &checking.Draw{Sizes: r.Strata}, asked: r.Asked, unsaid: j.Unsaid}
	for k, c := range r.Checks {
		a.draw.Checks = append(a.draw.Checks, checking.Check{Index: j.Row(c.ID), Stratum: c.Stratum})
		if k < r.Asked {
			a.answers = append(a.answers, decisions[c.ID].answer(c.Given))
		}
	}
	return a
}

// behind says which answers to the checks of r do not count, as a check of their stratum before them has none; "" if
// all do.
func (a *Answers) behind(r *Random) string {
	waiting, closed := make([][]int, len(a.draw.Sizes)), make([]bool, len(a.draw.Sizes)) // by stratum: checks without an answer
	var missing []int                                                                    // those that have answers after them
	ahead := 0
	for k, answer := range a.answers {
		h := a.draw.Checks[k].Stratum
		switch {
		case answer == checking.Unanswered:
			waiting[h], closed[h] = append(waiting[h], k), true
		case answer != checking.Skipped && closed[h]:
			missing, waiting[h] = append(missing, waiting[h]...), nil
			ahead++
		}
	}
	if ahead == 0 {
		return ""
	}
	return fmt.Sprintf("answers to random checks do not count where an earlier check of their stratum has none (%s after %s, such as %q): answer these, too, or skip them",
		humanize.Count(ahead, "answer"), humanize.Count(len(missing), "empty check"), r.Checks[slices.Min(missing)].ID)
}

// Count estimates the number of wrong labels; nil if fewer than ten checks count. Rounds has the count by all
// checks alone.
func (a *Answers) Count(model []float64) (*checking.Count, *Checked) {
	count, err := a.draw.Count(model, a.answers)
	if err != nil || count.Checked < leastChecks { // the former says the same
		return nil, nil
	}
	c := &Checked{
		Asked: a.asked, Checked: count.Checked, Wrong: count.Wrong, Interval: correction.Interval{Low: count.Low, High: count.High},
		Right: count.By[checking.Right], Changed: count.By[checking.Wrong], Ambiguous: count.By[checking.Ambiguous], None: count.By[checking.None],
		Model: count.Model, Misfit: count.Misfit() && !a.unsaid, Strata: count.Strata, Ahead: count.Ahead, Shift: count.Recalibration.Shift, Slope: count.Recalibration.Slope,
	}
	for _, answer := range a.answers {
		if answer == checking.Skipped {
			c.Skipped++
		}
	}
	c.Threshold, _ = checking.BestThreshold(count.Probabilities)
	for _, share := range widths {
		if more := count.More(share); more > 0 && a.asked+more <= len(a.draw.Checks) { // no others can be checked
			c.More = append(c.More, More{share, more})
		}
	}
	c.Rounds = []Round{roundOf(count)}
	return count, c
}

// Shrinking returns the count after the first tenth of the answers, the second, and so on, and
// after all, which Count has returned.
func (a *Answers) Shrinking(model []float64, all *checking.Count) []Round {
	const parts = 10
	last := 0 // answers that have been given
	for k, answer := range a.answers {
		if answer != checking.Unanswered {
			last = k + 1
		}
	}
	step := max(1, len(a.draw.Sizes), (last+parts-1)/parts)
	var out []Round
	for k := step; k < last; k += step {
		if count, err := a.draw.Count(model, a.answers[:k]); err == nil && count.Checked >= leastChecks && count.Checked < all.Checked {
			out = append(out, roundOf(count))
		}
	}
	return append(out, roundOf(all))
}

func roundOf(c *checking.Count) Round { return Round{c.Checked, c.Wrong, c.Low, c.High} }
