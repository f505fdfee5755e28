package audit

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/shell"
)

// Counted is what random checks show of the labels of an audit.
type Counted struct {
	Checked *Checked        // nil without enough of them
	Count   *checking.Count // likewise

	Pi         float64 // share of instance-dependent mistakes, by the answers there are
	Likelihood float64 // log likelihood of these answers by the model
}

// judgedOf are the labels of data, as Judged.
func judgedOf(data *dataset.Dataset, model *judging.Model) *Judged {
	j := &Judged{Classes: data.Classes, Given: data.Train.Labels, Model: model}
	for i := range data.Train.Len() {
		j.IDs = append(j.IDs, data.Train.ID(i))
	}
	j.index()
	return j
}

// CountChecked counts the wrong labels by the random checks in a log, if it has some, with what people say of
// them. model must not use what they say. warning names what keeps checks from counting.
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
		warning = fmt.Sprintf("answers to random checks do not count yet (%d of them), since an earlier check has no "+
			"answer: answer or skip %q", made.Ahead, r[waiting].ID)
	case c.Count == nil && made.Asked > 0:
		warning = fmt.Sprintf("%d random checks are too few for a number: make %d or more (%s%d)", made.Checked, leastChecks,
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
