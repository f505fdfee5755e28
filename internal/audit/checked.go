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

// Answers are the random checks of a folder with people's answers.
type Answers struct {
	judged  *Judged
	checks  []checking.Check
	answers []checking.Answer
	wrong   []float64 // w with the prior pi, before any answer
}

// Answers takes the answers to random checks from people's decisions (Folder.Said), by the names of the examples.
func (j *Judged) Answers(r Draws, decisions map[string]Decision) *Answers {
	a := &Answers{judged: j, wrong: j.Model.Mixture(j.Model.Pi)}
	for _, c := range r {
		a.checks = append(a.checks, checking.Check{Index: j.Row(c.ID), Chance: c.Chance})
		a.answers = append(a.answers, decisions[c.ID].answer(c.Given))
	}
	return a
}

// tally counts each label once by its answer. Answers after the first check without one, which is waiting, do not
// count.
func (a *Answers) tally() (c Checked, waiting int) {
	seen := map[int]bool{}
	waiting = -1
	for k, answer := range a.answers {
		if seen[a.checks[k].Index] {
			continue
		}
		seen[a.checks[k].Index] = true
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

// Pi returns the share of instance-dependent mistakes by the answers, and their log likelihood.
func (a *Answers) Pi() (pi, likelihood float64) {
	m := a.judged.Model
	count, err := checking.NewCount(a.wrong, a.checks, a.answers)
	if err != nil { // fewer than two answers
		return m.Pi, 0
	}
	return count.Pi(m.ClassDependent, m.InstanceDependent, m.Pi)
}

// Count estimates the number of wrong labels, or returns nil if fewer than ten labels count.
func (a *Answers) Count() (*checking.Count, *Checked) {
	count, err := checking.NewCount(a.wrong, a.checks, a.answers)
	c, _ := a.tally()
	if err != nil || c.Checked < leastChecks { // no count on an error
		return nil, nil
	}
	c.Wrong, c.Interval = count.Wrong, correction.Interval{Low: count.Low, High: count.High}
	for _, share := range widths {
		if more := count.More(share); more > 0 && c.Asked+more <= len(a.wrong) {
			c.More = append(c.More, More{share, more})
		}
	}
	c.Rounds = []Round{roundOf(count, c)}
	return count, &c
}

// Shrinking returns the count after each tenth of the answers. all is the last one, from Count.
func (a *Answers) Shrinking(all *checking.Count) (rounds []Round) {
	const parts = 10
	whole, _ := a.tally()
	for part := 1; part < parts; part++ {
		some := Answers{judged: a.judged, checks: a.checks[:part*len(a.checks)/parts],
			answers: a.answers[:part*len(a.answers)/parts], wrong: a.wrong}
		c, _ := some.tally()
		count, err := checking.NewCount(some.wrong, some.checks, some.answers)
		if err == nil && c.Checked >= leastChecks && c.Checked < whole.Checked &&
			(len(rounds) == 0 || c.Checked > rounds[len(rounds)-1].Checked) {
			rounds = append(rounds, roundOf(count, c))
		}
	}
	return append(rounds, roundOf(all, whole))
}

func roundOf(n *checking.Count, c Checked) Round { return Round{c.Checked, n.Wrong, n.Low, n.High} }

// Counted is the result of random checks of an audit's labels.
type Counted struct {
	Checked *Checked        // nil if there are too few
	Count   *checking.Count // likewise

	Pi         float64 // share of instance-dependent mistakes by the answers
	Likelihood float64 // log likelihood of the answers by the model
}

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
	decisions := Last(log.Answers)
	answers := j.Answers(r, decisions)
	c.Pi, c.Likelihood = answers.Pi()
	c.Count, c.Checked = answers.Count()
	again := "losscorr review " + shell.Word(f.dir) + " --random "
	switch made, waiting := answers.tally(); {
	case made.Ahead > 0:
		warning = fmt.Sprintf("%d answers to random checks do not count yet, since an earlier check has no answer: "+
			"answer or skip %q", made.Ahead, r[waiting].ID)
	case c.Count == nil && made.Asked > 0:
		warning = fmt.Sprintf("%d random checks are too few to estimate a number: make %d or more "+
			"(%s%d)", made.Checked, leastChecks,
			again, min(max(leastChecks+made.Skipped, made.Asked), len(j.IDs)))
	case c.Count == nil && others > 0:
		warning = fmt.Sprintf("%d random checks do not count, since the examples or labels have changed: check again (%s%d)",
			others, again, min(others, len(j.IDs)))
	}
	if c.Count != nil {
		c.Checked.Rounds = answers.Shrinking(c.Count)
	}
	return c, warning
}
