package audit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/dataset"
)

// now is the time of a decision.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// random is what an audit has found by the random checks of its folder.
type random struct {
	checked *Checked        // nil without enough of them
	count   *checking.Count // likewise
	known   []correction.Trusted
}

// check counts the wrong labels by the random checks of the folder, if it has some. model holds
// the probabilities of wrong labels that know nothing of what people said.
func (f *Folder) check(a Audit, found *finding, model []float64) error {
	train := a.Data.Train
	j := &Judged{Classes: a.Data.Classes, Given: train.Labels, Model: model}
	for i := range train.Len() {
		j.IDs = append(j.IDs, train.ID(i))
	}
	j.index(f)
	r, err := j.Random()
	if other := (*OtherLabelsError)(nil); errors.As(err, &other) && a.Checked == nil {
		found.warnings = append(found.warnings, "random checks: "+err.Error())
		return nil
	}
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	if r == nil {
		if a.Checked != nil {
			return dataset.Errorf("no %s in %s: answers count as random checks if losscorr review %s --random N has drawn the examples", RandomFile, f.dir, f.dir)
		}
		return nil
	}
	if a.Checked != nil {
		if foreign := r.remember(a.Checked); foreign > 0 {
			return dataset.Errorf("%d of %d answers are of examples that were not drawn for a random check: only those of losscorr review %s --random N --write FILE count", foreign, len(a.Checked), f.dir)
		}
		if err := f.writeRandom(r); err != nil {
			return err
		}
	}
	list, err := ReadDecisions(f.Path(DecisionsFile))
	if err != nil {
		return err
	}
	decisions := Last(r.With(WithNames(list, a.Networks.Source)))
	answers := j.Answers(r, decisions)
	count, checked := answers.Count(model)
	if count == nil {
		found.warnings = append(found.warnings, fmt.Sprintf("of %d random checks that were drawn too few are made to count by: %d are needed", r.Asked, leastChecks))
		return nil
	}
	checked.Rounds = answers.Shrinking(model, count)
	found.random = random{checked: checked, count: count, known: j.known(r, decisions)}
	return nil
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
