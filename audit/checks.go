package audit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// now is the time of a decision.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Counted is what random checks say of the labels of an audit.
type Counted struct {
	Checked *Checked        // nil without enough of them
	Count   *checking.Count // likewise
	Known   []correction.Trusted
}

// CountChecked counts the wrong labels by the random checks of the folder, if it has some. told are answers
// beside those of its decisions.csv, nil for none, and model holds the probabilities of wrong labels that know
// nothing of what people said; unsaid is that of Judged. warning says why checks do not count, if some do not.
func (f *Folder) CountChecked(data *dataset.Dataset, s own.Source, told map[string]Decision, model []float64, unsaid bool) (c Counted, warning string, err error) {
	train := data.Train
	j := &Judged{Classes: data.Classes, Given: train.Labels, Model: model, Unsaid: unsaid}
	for i := range train.Len() {
		j.IDs = append(j.IDs, train.ID(i))
	}
	j.index(f)
	r, err := j.Random()
	if other := (*OtherLabelsError)(nil); errors.As(err, &other) && told == nil {
		return c, "random checks: " + err.Error(), nil
	}
	if err != nil {
		return c, "", dataset.Errorf("%w", err)
	}
	if r == nil {
		if told != nil {
			return c, "", dataset.Errorf("no %s in %s: answers count as random checks if losscorr review %s --random N has drawn the examples", RandomFile, f.dir, f.dir)
		}
		return c, "", nil
	}
	if told != nil {
		if foreign := r.remember(told); foreign > 0 {
			return c, "", dataset.Errorf("%d of %d answers are of examples that were not drawn for a random check: only those of losscorr review %s --random N --write FILE count", foreign, len(told), f.dir)
		}
		if err := f.writeRandom(r); err != nil {
			return c, "", err
		}
	}
	list, err := ReadDecisions(f.Path(DecisionsFile))
	if err != nil {
		return c, "", err
	}
	decisions := Last(r.With(WithNames(list, s)))
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
		if d := c.latest(decisions[c.ID]); d.Decides() {
			if class := slices.Index(j.Classes, d.Label); class >= 0 {
				known = append(known, correction.Trusted{Index: j.Row(c.ID), Label: class})
			}
		}
	}
	return known
}
