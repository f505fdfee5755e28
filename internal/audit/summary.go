package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Summary is the result of an audit, as summary.json.
type Summary struct {
	Schema   int            `json:"schema"` // 2
	Program  string         `json:"program"`
	Source   own.Source     `json:"source"`
	Files    []dataset.File `json:"files,omitempty"` // of the source, as they were
	Command  string         `json:"command"`         // repeats the audit
	Finished string         `json:"finished"`
	Seconds  float64        `json:"seconds"` // of the process that finished the audit

	Verdict string `json:"verdict"` // the result in a sentence, which WriteSummary sets

	Examples int   `json:"examples"` // of the training set, which is judged
	Wrong    Wrong `json:"wrong"`    // the number of wrong labels
	Flagged  int   `json:"flagged"`  // labels with p_wrong above .5
	// what labels_corrected.csv changes; null where too few changes would be right
	Changes    *Changes    `json:"changes"`
	Classes    []Class     `json:"classes"`    //
	Confusions []Confusion `json:"confusions"` // the most frequent kinds of wrong labels

	Evidence estimators.Evidence `json:"evidence"` // for class-dependent mistakes
	Pi       float64             `json:"pi"`       // share of instance-dependent mistakes (judging.Model)

	// of the networks against given labels that they have not seen, in percent
	GivenAccuracy float64  `json:"given_accuracy"`
	Model         string   `json:"model"`           // "given probabilities" where no network was trained
	Folds         int      `json:"folds"`           //
	Views         []View   `json:"views,omitempty"` // that were tried, the best one first
	Runs          []string `json:"runs,omitempty"`  // of the networks whose posteriors were used
	// where g comes from, such as "second network and neighbours"
	Posterior     string    `json:"posterior"`
	TrustedLabels int       `json:"trusted_labels"`          // that were used
	Random        *Checked  `json:"random_checks,omitempty"` // what random checks found
	Reviewed      *Reviewed `json:"reviewed,omitempty"`      // what several reviewers have decided; nil of one
	// where several people have labelled the examples; the labels are their consensus
	Crowd      *People     `json:"annotators,omitempty"`
	Duplicates *Duplicates `json:"duplicates,omitempty"` // lines of duplicates.csv; nil where there are none
	Unreadable int         `json:"unreadable,omitempty"` // lines of unreadable.csv, files that were left out
	Measured   *Measured   `json:"measured,omitempty"`   // against true labels, where the data has them
	Stronger   string      `json:"stronger,omitempty"`   // what would narrow the range, for people
	Warnings   []string    `json:"warnings"`             // for people, the most important first
}

// Wrong is the number of wrong labels among some.
type Wrong struct {
	// of the 90 % interval of Estimate; without one, of the range that the two kinds of mistakes leave open
	Low      float64  `json:"low"`
	High     float64  `json:"high"`     //
	Estimate *float64 `json:"estimate"` // by random checks; null without enough of them
}

// Changes is what labels_corrected.csv changes by the model, without what people have decided.
type Changes struct {
	Labels int     `json:"labels"` // that get another class
	Right  float64 `json:"right"`  // expected number of them that get their true class
}

// NoModel is the model of a summary whose labels nothing has judged.
const NoModel = "none"

// Corrects reports whether labels_corrected.csv is worth taking.
func (s Summary) Corrects() bool { return s.Changes != nil && s.Changes.Labels > 0 }

// Class is a class of the data.
type Class struct {
	Name     string `json:"name"`
	Examples int    `json:"examples"` // that have this label
	Wrong    Wrong  `json:"wrong"`    // of them
	Flagged  int    `json:"flagged"`
}

// Confusion counts examples with p_wrong above .5 of one given and one suggested class.
type Confusion struct {
	Given     string `json:"given"`
	Suggested string `json:"suggested"`
	Count     int    `json:"count"`
}

// schema is the version of summary.json.
const summarySchema = 2

// WriteSummary writes summary.json and sets its schema and verdict. It is written last: the mark of
// a finished audit.
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
		return s, f.damaged(SummaryFile, "schema %d, want %d: another version of the program wrote it; run the audit "+
			"again, which keeps its networks and your decisions", s.Schema, summarySchema)
	}
	if err := s.check(); err != nil {
		return s, f.damaged(SummaryFile, "%w", err)
	}
	return s, nil
}

// check returns what readers of a summary could not live with.
func (s Summary) check() error {
	c := len(s.Classes)
	if c < 2 {
		return fmt.Errorf("%d classes, want at least 2", c)
	}
	return nil
}

// ClassNames returns the names of the classes by number.
func (s Summary) ClassNames() []string {
	names := make([]string, len(s.Classes))
	for k, c := range s.Classes {
		names[k] = c.Name
	}
	return names
}

// View is a way of looking at the data that an audit has tried.
type View struct {
	Name  string  `json:"name"`
	Loss  float64 `json:"loss"` // cross-entropy of the given labels, out of fold, at the best temperature
	Used  bool    `json:"used"` // the labels are judged by it
	Model string  `json:"model"`
}

// Measured says how good an audit's judgement is, for data whose true labels are known.
type Measured struct {
	Known            int     `json:"known"`             // examples whose true label is known
	Wrong            int     `json:"wrong"`             // of them, whose given label is wrong
	AveragePrecision float64 `json:"average_precision"` // of the ranking by p_wrong
	F1               float64 `json:"f1"`                // of p_wrong above .5
	Corrected        float64 `json:"corrected"`         // share of the wrong labels whose suggestion is the true label
}
