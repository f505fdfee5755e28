package relabel

import (
	"maps"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Correction is what an audit and people say of the labels of data that is to be trained on.
type Correction struct {
	Labels []correction.Trusted // of the examples whose given label is wrong
	Judged int                  // examples that the audit has judged, with the labels that they still have
}

// leastJudged is the share of examples that an audit has to have judged to be an audit of the data.
const leastJudged = .9

// Of reports whether the audit is one of data of n examples, or nearly so.
func (c Correction) Of(n int) bool { return float64(c.Judged) >= leastJudged*float64(n) }

// Correct returns the training examples of data whose label is wrong by the answers in the folder, or by further
// ones or, where there is no answer, by labels_corrected.csv. An example that the audit has not judged, or whose label
// has changed since, keeps its label unless further has it.
func Correct(f *audit.Folder, source own.Source, data *dataset.Dataset,
	further map[string]audit.Decision) (c Correction, err error) {
	found, err := readFound(f, source)
	if err != nil {
		return c, err
	}
	maps.Copy(found.decided, further)
	byID := found.byID()
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Classes[data.Train.Labels[i]]
		label := given
		if judged, ok := byID[id]; ok && judged.Given == given {
			label = found.labels[judged.Row].Label
			c.Judged++
		}
		if label, _ = found.decided[id].Settle(given, label); label == given {
			continue
		}
		class := slices.Index(data.Classes, label)
		if class < 0 {
			return c, dataset.Errorf("the label of %s is %q by the audit in %s, which is no class of the data", id, label,
				f.Dir())
		}
		c.Labels = append(c.Labels, correction.Trusted{Index: i, Label: class})
	}
	return c, nil
}
