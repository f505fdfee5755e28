package audit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/shell"
)

// now is the time of a decision.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Counted is what random checks show of the labels of an audit.
type Counted struct {
	Checked *Checked        // nil without enough of them
	Count   *checking.Count // likewise
	Known   []correction.Trusted

	Pi         float64 // share of instance-dependent mistakes, by the answers there are
	Likelihood float64 // log likelihood of these answers by the model
}

// judgedOf are the labels of data, as Judged.
func (f *Folder) judgedOf(data *dataset.Dataset) *Judged {
	j := &Judged{Classes: data.Classes, Given: data.Train.Labels}
	for i := range data.Train.Len() {
		j.IDs = append(j.IDs, data.Train.ID(i))
	}
	j.index(f)
	return j
}

// CountChecked counts the wrong labels by the random checks of the folder, if it has some, with what people say of
// them. model must not use what they say. warning names what keeps checks from counting.
func (f *Folder) CountChecked(data *dataset.Dataset, s own.Source,
	model *judging.Model) (c Counted, warning string, err error) {
	c.Pi = model.Pi
	j := f.judgedOf(data)
	j.Model = model
	r, err := j.Random()
	if other := (*OtherLabelsError)(nil); errors.As(err, &other) {
		return c, "random checks: " + err.Error(), nil
	}
	if err != nil {
		return c, "", dataset.Errorf("%w", err)
	}
	if r == nil {
		return c, "", nil
	}
	said, err := f.Said(s)
	if err != nil {
		return c, "", err
	}
	decisions := Last(said)
	answers := j.Answers(r, decisions)
	c.Pi, c.Likelihood = answers.Pi()
	c.Known = j.known(r, decisions)
	c.Count, c.Checked = answers.Count()
	switch made, waiting := answers.tally(); {
	case made.Ahead > 0:
		warning = fmt.Sprintf("answers to random checks do not count yet (%d of them), since an earlier check has no "+
			"answer: answer or skip %q", made.Ahead, r.Checks[waiting].ID)
	case c.Count == nil:
		warning = fmt.Sprintf("%d random checks are too few for a number: make %d or more (losscorr review %s --random %d)",
			made.Checked, leastChecks, shell.Word(f.dir), min(max(leastChecks+made.Skipped, made.Asked), len(j.IDs)))
	}
	if c.Count != nil {
		c.Checked.Rounds = answers.Shrinking(c.Count)
	}
	return c, warning, nil
}

// known are the checks that name a class.
func (j *Judged) known(r *Random, decisions map[string]Decision) (known []correction.Trusted) {
	for _, k := range r.Distinct() {
		c := r.Checks[k]
		if d := decisions[c.ID]; d.Decides() && d.Holds(c.Given) {
			if class := slices.Index(j.Classes, d.Label); class >= 0 {
				known = append(known, correction.Trusted{Index: j.Row(c.ID), Label: class})
			}
		}
	}
	return known
}
