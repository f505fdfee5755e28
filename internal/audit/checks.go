package audit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// now is the time of a decision.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Counted is what random checks say of the labels of an audit.
type Counted struct {
	Checked *Checked        // nil without enough of them
	Count   *checking.Count // likewise
	Known   []correction.Trusted
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
// them. model holds the probabilities of wrong labels that know nothing of that; unsaid is that of Judged. warning
// says why checks do not count, if some do not.
func (f *Folder) CountChecked(data *dataset.Dataset, s own.Source, model []float64, unsaid bool) (c Counted, warning string, err error) {
	j := f.judgedOf(data)
	j.Model, j.Unsaid = model, unsaid
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
	count, checked := answers.Count(model)
	if count == nil {
		warning = fmt.Sprintf("of %d random checks that were drawn too few are made to count by: %d are needed", r.Asked, leastChecks)
		if behind := answers.behind(r); behind != "" {
			warning += "; " + behind
		}
		return c, warning, nil
	}
	checked.Rounds = answers.Shrinking(model, count)
	return Counted{Checked: checked, Count: count, Known: j.known(r, decisions)}, answers.behind(r), nil
}

// known are the checks that name a class.
func (j *Judged) known(r *Random, decisions map[string]Decision) (known []correction.Trusted) {
	for _, c := range r.Checks[:r.Asked] {
		if d := decisions[c.ID]; d.Decides() && d.Holds(c.Given) {
			if class := slices.Index(j.Classes, d.Label); class >= 0 {
				known = append(known, correction.Trusted{Index: j.Row(c.ID), Label: class})
			}
		}
	}
	return known
}
