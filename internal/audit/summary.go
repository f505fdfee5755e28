package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tidwall/sjson"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Summary is the result of an audit, as summary.json.
type Summary struct {
	Schema   int            `json:"schema"` // 1
	Program  string         `json:"program"`
	Source   own.Source     `json:"source"`
	Files    []dataset.File `json:"files,omitempty"` // of the source, as they were
	Command  string         `json:"command"`         // repeats the audit
	Finished string         `json:"finished"`
	Seconds  float64        `json:"seconds"` // of the process that finished the audit

	Examples          int                 `json:"examples"`          // of the training set, which is judged
	Weak              bool                `json:"weak,omitempty"`    // the networks are too weak: no suggestion or T is said, and no count but by random checks
	Doubted           bool                `json:"doubted,omitempty"` // the given labels do not show how many are wrong: the numbers are the low end of what is possible, and only their ranges are said
	NoiseRate         float64             `json:"noise_rate"`
	NoiseRateInterval correction.Interval `json:"noise_rate_interval"`
	ExpectedWrong     float64             `json:"expected_wrong"`
	Flagged           int                 `json:"flagged"` // examples with p_wrong above .5

	Classes []Class     `json:"classes"`
	T       [][]float64 `json:"t"`      // T-hat; rows are true classes
	TLow    [][]float64 `json:"t_low"`  // ends of its ranges
	THigh   [][]float64 `json:"t_high"` //

	// Unproven is a T-hat that ranks the labels but says no number. T is what is left of it where the labels do not show
	// that so many are wrong: it and probabilities.npy are the model that random checks look at, then. Of weak networks
	// it ranks where random checks tell that it does so far better.
	Unproven [][]float64 `json:"unproven_t,omitempty"`
	LowT     bool        `json:"low_t,omitempty"` // T is the low end of what is possible, and says no number: the labels show no wrong ones, and no random checks bear T-hat out

	Confusions []Confusion `json:"confusions"` // the most frequent kinds of wrong labels
	ToCheck    []Budget    `json:"to_check"`

	// Accuracy of the networks on examples that they have not seen, in percent.
	GivenAccuracy float64         `json:"given_accuracy"`          // against the given labels
	CleanAccuracy float64         `json:"clean_accuracy"`          // against true labels, estimated by T-hat; 0, and null in the file, where it does not tell
	Model         string          `json:"model"`                   // "given probabilities" where no network was trained
	Folds         int             `json:"folds"`                   //
	Views         []View          `json:"views,omitempty"`         // that were tried, the best one first
	Runs          []string        `json:"runs,omitempty"`          // of the networks whose posteriors were used
	Posterior     string          `json:"posterior"`               // where g comes from, such as "second network and neighbours"
	Disagreement  float64         `json:"disagreement"`            // between two estimators: mean L1 distance of the rows of T
	TrustedLabels int             `json:"trusted_labels"`          // that were used
	Uneven        *judging.Uneven `json:"uneven,omitempty"`        // whether more labels go wrong where networks are less sure; nil without neighbours
	Random        *Checked        `json:"random_checks,omitempty"` // what random checks say; NoiseRate, ExpectedWrong and Classes are by them, then
	Reviewed      *Reviewed       `json:"reviewed,omitempty"`      // what several reviewers have decided; nil of one
	Crowd         *People         `json:"annotators,omitempty"`    // where several people have labelled the examples; the labels are their consensus
	Duplicates    *Duplicates     `json:"duplicates,omitempty"`    // lines of duplicates.csv; nil where there are none
	Unreadable    int             `json:"unreadable,omitempty"`    // lines of unreadable.csv, files that were left out
	UnnamedRows   []int           `json:"unnamed_rows"`            // classes whose row of T-hat labels alone do not name
	Ask           []int           `json:"ask"`                     // places in the training set of the examples to ask people about first, the most telling first
	Measured      *Measured       `json:"measured,omitempty"`      // against true labels, where the data has them
	Warnings      []string        `json:"warnings"`                // for people, the most important first
}

// Ranks reports whether the labels are ranked only, and none is suggested to be changed: where the
// networks are weak, and where the labels are a consensus, which are the likeliest classes themselves.
func (s Summary) Ranks() bool { return s.Weak || s.Crowd != nil }

// Corrects reports whether labels_corrected.csv is worth taking: labels are suggested to be changed, or may be.
func (s Summary) Corrects() bool { return !s.Ranks() && (!s.Doubted || s.Flagged > 0) }

// HidesT reports whether T-hat is not shown: random checks say how many labels are wrong, and do not bear it out.
func (s Summary) HidesT() bool { return s.Weak || s.LowT && s.Random != nil }

// MarshalJSON writes null for what an audit does not say: of one that ranks F1 and the share corrected, and
// each number of wrong labels where the networks are weak and nobody has checked labels at random.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	data, err := json.Marshal(plain(s))
	var unsaid []string
	if s.Ranks() && s.Measured != nil {
		unsaid = append(unsaid, "measured.f1", "measured.corrected")
	}
	if s.CleanAccuracy == 0 {
		unsaid = append(unsaid, "clean_accuracy")
	}
	if s.Weak {
		unsaid = append(unsaid, "flagged", "disagreement")
		keys := []string{"flagged"}
		if s.Random == nil {
			unsaid = append(unsaid, "noise_rate", "noise_rate_interval", "expected_wrong")
			keys = append(keys, "expected_wrong", "interval")
		}
		for k := range s.Classes {
			for _, key := range keys {
				unsaid = append(unsaid, fmt.Sprintf("classes.%d.%s", k, key))
			}
		}
	}
	for _, key := range unsaid {
		if err == nil {
			data, err = sjson.SetRawBytes(data, key, []byte("null"))
		}
	}
	return data, err
}

// Class is a class of the data.
type Class struct {
	Name          string              `json:"name"`
	Examples      int                 `json:"examples"`       // that have this label
	ExpectedWrong float64             `json:"expected_wrong"` // of them
	Interval      correction.Interval `json:"interval"`       // of ExpectedWrong
	Flagged       int                 `json:"flagged"`
}

// Confusion counts examples with p_wrong above .5 of one given and one suggested class.
type Confusion struct {
	Given     string `json:"given"`
	Suggested string `json:"suggested"`
	Count     int    `json:"count"`
}

// Budget says how many labels, worst first, a person has to check until the expected
// share of wrong labels that are left is at most Share.
type Budget struct {
	Share  float64 `json:"share"`
	Checks int     `json:"checks"`
}

// schema is the version of summary.json.
const schema = 1

// WriteSummary writes summary.json and sets its schema. It is written last: the mark of
// a finished audit.
func (f *Folder) WriteSummary(s *Summary) error {
	s.Schema = schema
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
	if s.Schema != schema {
		return s, f.damaged(SummaryFile, "schema %d, want %d: another version of the program wrote it", s.Schema, schema)
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
	tables := map[string][][]float64{"t": s.T, "t_low": s.TLow, "t_high": s.THigh}
	if s.Weak {
		tables = nil
	}
	for name, rows := range tables {
		if len(rows) != c {
			return fmt.Errorf("%s has %d rows for %d classes", name, len(rows), c)
		}
		for i, row := range rows {
			if len(row) != c {
				return fmt.Errorf("row %d of %s has %d entries for %d classes", i, name, len(row), c)
			}
		}
	}
	for _, k := range s.UnnamedRows {
		if k < 0 || k >= c {
			return fmt.Errorf("unnamed row %d of %d classes", k, c)
		}
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
