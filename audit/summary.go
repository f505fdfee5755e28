package audit

import "github.com/losscorr/losscorr/dataset"

// Interval is a 90 % interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Summary is the result of an audit, as summary.json.
type Summary struct {
	Schema   int            `json:"schema"` // 1
	Program  string         `json:"program"`
	Source   dataset.Source `json:"source"`
	Command  string         `json:"command"` // repeats the audit
	Finished string         `json:"finished"`
	Seconds  float64        `json:"seconds"`

	Examples          int      `json:"examples"` // of the training set, which is judged
	NoiseRate         float64  `json:"noise_rate"`
	NoiseRateInterval Interval `json:"noise_rate_interval"`
	ExpectedWrong     float64  `json:"expected_wrong"`
	Flagged           int      `json:"flagged"` // examples with p_wrong above .5

	Classes []Class     `json:"classes"`
	T       [][]float64 `json:"t"`      // T-hat; rows are true classes
	TLow    [][]float64 `json:"t_low"`  // ends of its 90 % intervals
	THigh   [][]float64 `json:"t_high"` //

	Confusions []Confusion `json:"confusions"` // the most frequent kinds of wrong labels
	ToCheck    []Budget    `json:"to_check"`

	// Accuracy of the networks on examples that they have not seen, in percent.
	GivenAccuracy float64  `json:"given_accuracy"` // against the given labels
	CleanAccuracy float64  `json:"clean_accuracy"` // against true labels, estimated by T-hat
	Model         string   `json:"model"`          // "given probabilities" where no network was trained
	Folds         int      `json:"folds"`          //
	Posterior     string   `json:"posterior"`      // where g comes from: "second network", "inverse" or "mean of both"
	Disagreement  float64  `json:"disagreement"`   // between two estimators: mean L1 distance of the rows of T
	TrustedLabels int      `json:"trusted_labels"` // that were used
	UnnamedRows   []int    `json:"unnamed_rows"`   // classes whose row of T-hat labels alone do not name
	Warnings      []string `json:"warnings"`       // for people, the most important first
}

// Class is a class of the data.
type Class struct {
	Name          string   `json:"name"`
	Examples      int      `json:"examples"`       // that have this label
	ExpectedWrong float64  `json:"expected_wrong"` // of them
	Interval      Interval `json:"interval"`       // of ExpectedWrong
	Flagged       int      `json:"flagged"`
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

// Issue is a line of issues.csv.
type Issue struct {
	Rank      int // from 1
	ID        string
	Given     string
	Suggested string
	PWrong    float64

	Row int // place in the training set; not in the file
}
