package audit

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/shell"
)

// Checked is the result of random checks: random_checks of summary.json.
type Checked struct {
	Asked     int                 `json:"asked"`   // labels drawn
	Checked   int                 `json:"checked"` // labels with an answer that counts
	Wrong     float64             `json:"wrong"`   // estimated number of wrong labels among all
	Interval  correction.Interval `json:"interval"`
	Right     int                 `json:"right"`     // checked labels that are right
	Changed   int                 `json:"changed"`   // another class is right
	Ambiguous int                 `json:"ambiguous"` // several classes are right; not counted as wrong
	None      int                 `json:"none"`      // no class is right; counted as wrong
	Skipped   int                 `json:"skipped"`   // people could not decide
	Ahead     int                 `json:"ahead"`     // answers that do not count yet, since an earlier check has none
	Rounds    []Round             `json:"rounds"`    // how the interval shrank; the last one is after all checks
	More      []More              `json:"more"`      // how many more checks a narrower interval takes
}

// Round is the count after some of the checks.
type Round struct {
	Checked int     `json:"checked"`
	Wrong   float64 `json:"wrong"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// More is the number of further checks after which the interval is the count plus or minus Share of it.
type More struct {
	Share  float64 `json:"share"`
	Checks int     `json:"checks"`
}

// widths are the shares of Checked.More.
var widths = []float64{.3, .2, .1, .05}

const (
	leastChecks = 10 // checks needed to report a number
	RankChecks  = 25 // checks needed to rank and correct labels by w
)

// Counted is the result of random checks.
type Counted struct {
	Made    Checked         // the answers, without a number
	Checked *Checked        // nil if there are too few answers for a number
	Count   *checking.Count // likewise

	Pi         float64 // share of instance-dependent mistakes by the answers
	Likelihood float64 // log likelihood of the answers by the model

	waiting int // the first draw without an answer, or -1
}

// Count estimates the number of wrong labels by people's answers to random checks, by the names of the examples.
func (j *Judged) Count(r Draws, decisions map[string]Decision) (c Counted) {
	m := j.Model
	checks, answers := make([]checking.Check, len(r)), make([]checking.Answer, len(r))
	for k, d := range r {
		checks[k] = checking.Check{Index: j.Row(d.ID), Chance: d.Chance}
		answers[k] = decisions[d.ID].answer(d.Given)
	}
	before := m.Mixture(m.Pi)
	c.Made, c.waiting = tally(checks, answers)
	c.Pi = m.Pi
	count, err := checking.NewCount(before, checks, answers)
	if err != nil { // fewer than two answers
		return c
	}
	c.Pi, c.Likelihood = count.Pi(m.ClassDependent, m.InstanceDependent, m.Pi)
	if c.Made.Checked < leastChecks {
		return c
	}
	made := c.Made
	made.Wrong, made.Interval = count.Wrong, correction.Interval{Low: count.Low, High: count.High}
	for _, share := range widths {
		if more := count.More(share); more > 0 && made.Asked+more <= len(before) {
			made.More = append(made.More, More{share, more})
		}
	}
	for part := 1; part < rounds; part++ {
		end := part * len(r) / rounds
		some, _ := tally(checks[:end], answers[:end])
		n, err := checking.NewCount(before, checks[:end], answers[:end])
		if err == nil && some.Checked >= leastChecks && some.Checked < made.Checked &&
			(len(made.Rounds) == 0 || some.Checked > made.Rounds[len(made.Rounds)-1].Checked) {
			made.Rounds = append(made.Rounds, roundOf(n, some))
		}
	}
	made.Rounds = append(made.Rounds, roundOf(count, made))
	c.Count, c.Checked = count, &made
	return c
}

// rounds is the largest number of Checked.Rounds.
const rounds = 10

// tally counts each label once by its answer. Answers after the first check without one, which is waiting, do not
// count.
func tally(checks []checking.Check, answers []checking.Answer) (c Checked, waiting int) {
	seen := map[int]bool{}
	waiting = -1
	for k, answer := range answers {
		if seen[checks[k].Index] {
			continue
		}
		seen[checks[k].Index] = true
		c.Asked++
		switch {
		case answer == checking.Unanswered:
			if waiting < 0 {
				waiting = k
			}
			continue
		case answer == checking.Skipped:
			c.Skipped++
			continue
		case waiting >= 0:
			c.Ahead++
			continue
		case answer == checking.Right:
			c.Right++
		case answer == checking.Wrong:
			c.Changed++
		case answer == checking.Ambiguous:
			c.Ambiguous++
		case answer == checking.None:
			c.None++
		}
		c.Checked++
	}
	return c, waiting
}

func roundOf(n *checking.Count, c Checked) Round { return Round{c.Checked, n.Wrong, n.Low, n.High} }

// judgedOf returns the labels of data as Judged.
func judgedOf(data *dataset.Dataset, model *judging.Model) *Judged {
	j := &Judged{Classes: data.Classes, Given: data.Train.Labels, Model: model}
	for i := range data.Train.Len() {
		j.IDs = append(j.IDs, data.Train.ID(i))
	}
	j.index()
	return j
}

// CountChecked estimates the number of wrong labels from the random checks in a log and people's answers to
// them. model must not have used these answers. warning explains why some checks do not count.
func (f *Folder) CountChecked(data *dataset.Dataset, log Log, model *judging.Model) (c Counted, warning string) {
	j := judgedOf(data, model)
	r, others := j.Random(log)
	c = j.Count(r, Last(log.Answers))
	again := "losscorr review " + shell.Word(f.dir) + " --random "
	switch made := c.Made; {
	case made.Ahead > 0:
		warning = fmt.Sprintf("%d answers to random checks do not count yet, since an earlier check has no answer: "+
			"answer or skip %q", made.Ahead, r[c.waiting].ID)
	case c.Count == nil && made.Asked > 0:
		warning = fmt.Sprintf("%d random checks are too few to estimate a number: make %d or more "+
			"(%s%d)", made.Checked, leastChecks,
			again, min(max(leastChecks+made.Skipped, made.Asked), len(j.IDs)))
	case c.Count == nil && others > 0:
		warning = fmt.Sprintf("%d random checks do not count, since the examples or labels have changed: check again (%s%d)",
			others, again, min(others, len(j.IDs)))
	}
	return c, warning
}
