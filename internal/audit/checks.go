package audit

import (
	"fmt"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/shell"
)

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
