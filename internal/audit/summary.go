package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Summary is summary.json, the result of an audit.
type Summary struct {
	Schema   int            `json:"schema"` // 2
	Program  string         `json:"program"`
	Source   own.Source     `json:"source"`
	Files    []dataset.File `json:"files,omitempty"` // of the source at the time of the audit
	Command  string         `json:"command"`         // repeats the audit
	Finished string         `json:"finished"`
	Seconds  float64        `json:"seconds"` // of the process that finished the audit

	Verdict string `json:"verdict"` // the result in a sentence; set by WriteSummary

	Examples int   `json:"examples"` // size of the training set
	Wrong    Wrong `json:"wrong"`    // the number of wrong labels
	Flagged  int   `json:"flagged"`  // labels with p_wrong above .5
	// changes in labels_corrected.csv; null if too few would be right
	Changes    *Changes    `json:"changes"`
	Classes    []Class     `json:"classes"`    //
	Confusions []Confusion `json:"confusions"` // the most frequent kinds of wrong labels

	Evidence estimators.Evidence `json:"evidence"` // for class-dependent mistakes
	Pi       float64             `json:"pi"`       // share of instance-dependent mistakes (judging.Model)

	// accuracy of the networks on given labels that they have not seen, in percent
	GivenAccuracy float64  `json:"given_accuracy"`
	Model         string   `json:"model"`           // "given probabilities" if no network was trained
	Folds         int      `json:"folds"`           //
	Views         []View   `json:"views,omitempty"` // tried views, best first
	Runs          []string `json:"runs,omitempty"`  // networks with a part in the posteriors
	// where g comes from, such as "second network and neighbours"
	Posterior     string    `json:"posterior"`
	TrustedLabels int       `json:"trusted_labels"`          // number of labels that were taken as known
	Random        *Checked  `json:"random_checks,omitempty"` // result of random checks
	Reviewed      *Reviewed `json:"reviewed,omitempty"`      // nil if there is one reviewer
	// if several people have labelled the examples: the labels are their consensus
	Crowd      *People     `json:"annotators,omitempty"`
	Duplicates *Duplicates `json:"duplicates,omitempty"` // lines of duplicates.csv; nil if there are none
	Unreadable int         `json:"unreadable,omitempty"` // lines of unreadable.csv, files left out
	Measured   *Measured   `json:"measured,omitempty"`   // comparison with true labels, if the data has them
	Stronger   string      `json:"stronger,omitempty"`   // advice on narrowing the range, for people
	Warnings   []string    `json:"warnings"`             // for people, most important first
}

// Wrong is a number of wrong labels.
type Wrong struct {
	// ends of the 90 % interval of Estimate or, without one, of the range between the two kinds of mistakes
	Low      float64  `json:"low"`
	High     float64  `json:"high"`     //
	Estimate *float64 `json:"estimate"` // by random checks; null if there are too few
}

// Changes are the model's changes in labels_corrected.csv, without people's decisions.
type Changes struct {
	Labels int     `json:"labels"` // labels that change
	Right  float64 `json:"right"`  // expected number of changes to the true class
}

// NoModel is Summary.Model if no audit has judged the labels.
const NoModel = "none"

// Corrects reports whether labels_corrected.csv is worth taking.
func (s Summary) Corrects() bool { return s.Changes != nil && s.Changes.Labels > 0 }

// Class is a class of the data.
type Class struct {
	Name     string `json:"name"`
	Examples int    `json:"examples"` // with this label
	Wrong    Wrong  `json:"wrong"`    // among these examples
	Flagged  int    `json:"flagged"`
}

// Confusion counts the examples of one given and one suggested class with p_wrong above .5.
type Confusion struct {
	Given     string `json:"given"`
	Suggested string `json:"suggested"`
	Count     int    `json:"count"`
}

// mostConfusions is the largest number of Summary.Confusions.
const mostConfusions = 20

// Count sets the classes, the ranges of wrong labels, and how many labels are flagged, in total, by class and by kind
// of mistake.
func (s *Summary) Count(classes []string, given []int, model *judging.Model, j judging.Judgement) {
	rows, kinds := make([][]int, len(classes)), map[[2]int]int{}
	s.Classes, s.Confusions = make([]Class, len(classes)), []Confusion{}
	for i, y := range given {
		rows[y] = append(rows[y], i)
		if j.Wrong[i] > judging.LikelyWrong {
			s.Flagged++
			s.Classes[y].Flagged++
			kinds[[2]int{y, j.Suggested[i]}]++
		}
	}
	between := func(v correction.Interval) Wrong { return Wrong{Low: v.Low, High: v.High} }
	s.Wrong = between(model.Range(nil))
	for k, name := range classes {
		c := &s.Classes[k]
		c.Name, c.Examples = name, len(rows[k])
		if c.Examples > 0 {
			c.Wrong = between(model.Range(rows[k]))
		}
	}
	for kind, count := range kinds {
		s.Confusions = append(s.Confusions, Confusion{classes[kind[0]], classes[kind[1]], count})
	}
	slices.SortFunc(s.Confusions, func(x, y Confusion) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Given, y.Given), cmp.Compare(x.Suggested, y.Suggested))
	})
	s.Confusions = s.Confusions[:min(len(s.Confusions), mostConfusions)]
}

// summarySchema is the version of summary.json.
const summarySchema = 2

// WriteSummary sets the schema and the verdict of a summary and writes summary.json, which marks an
// audit as finished.
func (f *Folder) WriteSummary(s *Summary) error {
	s.Schema, s.Verdict = summarySchema, verdict(*s)
	if s.Warnings == nil {
		s.Warnings = []string{}
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path(SummaryFile), err)
	}
	return f.write(SummaryFile, append(data, '\n'))
}

// Summary reads summary.json.
func (f *Folder) Summary() (Summary, error) {
	var s Summary
	data, err := f.read(SummaryFile)
	if err != nil {
		return s, err
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return s, f.damaged(SummaryFile, "%w", err)
	}
	if s.Schema != summarySchema {
		return s, f.damaged(SummaryFile, "schema %d, want %d: written by another version of the program; run the audit "+
			"again, which keeps its networks and your decisions", s.Schema, summarySchema)
	}
	if n := len(s.Classes); n < 2 {
		return s, f.damaged(SummaryFile, "%d classes, want at least 2", n)
	}
	return s, nil
}

// ClassNames returns the names of the classes by number.
func (s Summary) ClassNames() []string {
	names := make([]string, len(s.Classes))
	for k, c := range s.Classes {
		names[k] = c.Name
	}
	return names
}

// View is a way of looking at the data that an audit tried.
type View struct {
	Name  string  `json:"name"`
	Loss  float64 `json:"loss"` // cross-entropy of the given labels, out of fold, at the best temperature
	Used  bool    `json:"used"` // it has a part in the judgement
	Model string  `json:"model"`
}

// Measured is the quality of an audit's judgement on data with known true labels.
type Measured struct {
	Known            int     `json:"known"`             // examples with a known true label
	Wrong            int     `json:"wrong"`             // known examples with a wrong given label
	AveragePrecision float64 `json:"average_precision"` // of the ranking by p_wrong
	F1               float64 `json:"f1"`                // of p_wrong above .5
	Corrected        float64 `json:"corrected"`         // share of the wrong labels whose suggestion is the true label
}
