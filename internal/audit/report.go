package audit

import (
	"cmp"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/npy"
)

// Report is the result of an audit, from which the files of the folder and the page are
// written.
type Report struct {
	Summary
	Issues       []Issue            // every example, worst first
	Labels       []Label            // labels_corrected.csv, in the order of the data
	Clean, Noisy []float32          // posteriors of the true and of the given class [N C]
	T            *correction.Matrix // estimated
	Twins        []Duplicate        // pairs that are the same or nearly the same
	LeftOut      []dataset.Skipped  // files that were left out
	Sums         []uint64           // hashes of the examples; nil if the data has none
	People       *PeopleReport      // if several people have labelled the examples; else nil
}

// PeopleReport is the part of a result about several people's answers.
type PeopleReport struct {
	Train     dataset.Split
	Answers   *annotators.Answers
	Consensus *annotators.Consensus
	Questions []Question // ask.csv; nil if not asked for
}

// Wrong returns the answers, the likeliest mistakes first.
func (p *PeopleReport) Wrong() []annotators.Answer {
	return slices.SortedStableFunc(slices.Values(p.Answers.List), func(x, y annotators.Answer) int {
		return cmp.Compare(p.Consensus.Wrong(y), p.Consensus.Wrong(x))
	})
}

// Save replaces the files of the folder with a report's, summary.json last.
func (f *Folder) Save(r *Report) error {
	return f.Replace(func(next *Folder) error {
		c := len(r.Classes)
		err := cmp.Or(
			next.WriteIssues(r.Issues), next.WriteLabels(r.Labels),
			next.WriteProbabilities(r.Clean, c), npy.WriteFloat32(next.Path(NoisyFile), r.Noisy, c), next.WriteTransition(r.T),
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
