package audit

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Report is what an audit has found. The files of its folder and its page are functions of it.
type Report struct {
	Summary
	Issues       []Issue            // every example, the worst first
	Labels       []Label            // labels_corrected.csv, in the order of the data
	Clean, Noisy []float32          // posteriors of the true and of the given class [N C]
	T            *correction.Matrix // estimated
	Twins        []Duplicate        // examples that are the same, or nearly
	LeftOut      []dataset.Skipped  // files that were left out
	Sums         []uint64           // of the examples; nil where the data has none
	People       *PeopleReport      // of an audit of several people's answers; nil without
}

// PeopleReport is what an audit has found out about several people's answers.
type PeopleReport struct {
	Train     dataset.Split
	Answers   *annotators.Answers
	Consensus *annotators.Consensus
	Questions []Question // ask.csv; nil where nobody asks for it
}

// Wrong returns the answers, the likeliest wrong ones first.
func (p *PeopleReport) Wrong() []annotators.Answer {
	return slices.SortedStableFunc(slices.Values(p.Answers.List), func(x, y annotators.Answer) int {
		return cmp.Compare(p.Consensus.Wrong(y), p.Consensus.Wrong(x))
	})
}

// Save replaces the files of the folder by those of a report, summary.json last.
func (f *Folder) Save(r *Report) error {
	return f.Replace(func(next *Folder) error {
		c := len(r.Classes)
		err := cmp.Or(
			next.WriteIssues(r.Issues), next.WriteLabels(r.Labels),
			next.WriteProbabilities(r.Clean, c), next.WriteNoisy(r.Noisy, c), next.WriteTransition(r.T),
			next.WriteDuplicates(r.Twins), next.WriteUnreadable(r.LeftOut), next.WriteSums(r.Sums),
		)
		if p := r.People; err == nil && p != nil {
			err = next.WriteCrowd(p, r.Crowd.Ranked)
			if err == nil && p.Questions != nil {
				err = next.WriteQuestions(p.Questions)
			}
		}
		if err != nil {
			return err
		}
		return next.WriteSummary(&r.Summary)
	})
}
