package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
)

// RandomFile holds the random checks of an audit's folder.
const RandomFile = "random_checks.json"

// drawn is how many examples are drawn at first, so that more checks can be made in the same strata. They take 2 MB.
const drawn = 20_000

// Random are the labels that are drawn to be checked, as random_checks.json. Its first Asked ones are
// asked for.
type Random struct {
	Schema int           `json:"schema"` // 1
	Labels string        `json:"labels"` // hash of the names and labels that it was drawn from
	Asked  int           `json:"asked"`
	Strata []int         `json:"strata"` // numbers of examples, from the least likely wrong ones on
	Checks []RandomCheck `json:"checks"` // in rounds, each with one of each stratum
}

// RandomCheck is an example that was drawn.
type RandomCheck struct {
	ID      string    `json:"id"`
	Given   string    `json:"given"`
	Stratum int       `json:"stratum"`          // from 0
	Answer  Action    `json:"answer,omitempty"` // that was read from a file of answers; that of decisions.csv is not here
	Label   string    `json:"label,omitempty"`  // of the answer
	Time    time.Time `json:"time,omitzero"`    // when the file was read
	Files   []string  `json:"files,omitempty"`  // that have the answer: an empty cell of one of them takes it back
}

// hashLabels identifies the labels of the examples, in the order of the data.
func hashLabels(count int, label func(row int) (id, given string)) string {
	h := sha256.New()
	for row := range count {
		id, given := label(row)
		fmt.Fprintf(h, "%q %q\n", id, given)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// OtherLabelsError says that random checks were drawn from other labels than the audit has now.
type OtherLabelsError struct{ Path string }

// Error says what to do.
func (e *OtherLabelsError) Error() string {
	return e.Path + " was drawn when the data had other examples or labels: these checks say nothing of the labels as they are now; move the file away, and draw again with losscorr review FOLDER --random N"
}

// readRandom reads random_checks.json; nil without one.
func (f *Folder) readRandom() (*Random, error) {
	if _, err := os.Stat(f.Path(RandomFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	data, err := f.read(RandomFile)
	if err != nil {
		return nil, err
	}
	r := &Random{}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(r); err != nil {
		return nil, f.damaged(RandomFile, "%w", err)
	}
	if r.Schema != schema {
		return nil, f.damaged(RandomFile, "schema %d, want %d: another version of the program wrote it", r.Schema, schema)
	}
	if r.Asked < 1 || r.Asked > len(r.Checks) {
		return nil, f.damaged(RandomFile, "%d of %d checks are asked for", r.Asked, len(r.Checks))
	}
	for _, c := range r.Checks {
		if c.Stratum < 0 || c.Stratum >= len(r.Strata) {
			return nil, f.damaged(RandomFile, "example %q is of stratum %d of %d", c.ID, c.Stratum, len(r.Strata))
		}
	}
	return r, nil
}

func (f *Folder) writeRandom(r *Random) error {
	r.Schema = schema
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path(RandomFile), err)
	}
	return f.write(RandomFile, append(data, '\n'))
}

// Judged are the labels of an audit that has finished, in the order of the data, and the
// model's probabilities that they are wrong: without what people have said of them.
type Judged struct {
	Classes []string
	IDs     []string
	Given   []int
	Model   []float64
	Unsaid  bool // no number of wrong labels is said by Model: the networks are weak, their T-hat is too low, or it is of a consensus

	folder *Folder
	rows   map[string]int
}

// Judged reads the labels of an audit and judges them as it did.
func (f *Folder) Judged() (*Judged, error) {
	s, err := f.Summary()
	if err != nil {
		return nil, err
	}
	issues, err := f.Issues()
	if err != nil {
		return nil, err
	}
	g, c, err := f.Probabilities()
	if err != nil {
		return nil, err
	}
	if c != len(s.Classes) || len(g) != c*len(issues) {
		return nil, f.damaged(ProbabilitiesFile, "%d probabilities for %d examples of %d classes", len(g), len(issues), len(s.Classes))
	}
	j := &Judged{Classes: s.ClassNames(), IDs: make([]string, len(issues)), Given: make([]int, len(issues))}
	j.Unsaid = s.Ranks() || s.LowT
	for _, i := range issues {
		j.IDs[i.Row], j.Given[i.Row] = i.ID, slices.Index(j.Classes, i.Given)
	}
	if j.Model, err = f.judge(s, g, j.Given); err != nil {
		return nil, err
	}
	j.index(f)
	return j, nil
}

// judge returns the model's probabilities of wrong labels.
func (f *Folder) judge(s Summary, g []float32, given []int) ([]float64, error) {
	var a *judging.Audited
	var err error
	if s.Weak || s.Crowd != nil {
		a, err = judging.SelfConfidence(g, given, len(s.Classes))
	} else {
		t, failed := f.judgedBy(s)
		if failed != nil {
			return nil, failed
		}
		a, err = judging.Audit(g, given, t)
	}
	if err != nil {
		return nil, dataset.Errorf("%s: %w", f.Dir(), err)
	}
	return a.Wrong, nil
}

// judgedBy returns the T of the model: T-hat, or what it was before it was doubted.
func (f *Folder) judgedBy(s Summary) (*correction.Matrix, error) {
	if s.Unproven == nil {
		return f.Transition()
	}
	t, err := correction.NewMatrix(s.ClassNames(), s.Unproven)
	if err != nil {
		return nil, f.damaged(SummaryFile, "unproven_t: %v", err)
	}
	return t, nil
}

func (j *Judged) index(f *Folder) {
	j.folder, j.rows = f, make(map[string]int, len(j.IDs))
	for row, id := range j.IDs {
		j.rows[id] = row
	}
}

func (j *Judged) labels() string {
	return hashLabels(len(j.IDs), func(row int) (string, string) { return j.IDs[row], j.Classes[j.Given[row]] })
}

// Row returns the row of an example; -1 if there is none.
func (j *Judged) Row(id string) int {
	if row, ok := j.rows[id]; ok {
		return row
	}
	return -1
}

// Random returns the random checks of the folder; nil without any. The error is an *OtherLabelsError if the labels
// have changed.
func (j *Judged) Random() (*Random, error) {
	r, err := j.folder.readRandom()
	if err == nil && r != nil && r.Labels != j.labels() {
		return nil, &OtherLabelsError{j.folder.Path(RandomFile)}
	}
	return r, err
}

// Draw returns random checks of which n are asked for. A draw that the folder has already is
// extended; it is never drawn again, as that would make the answers of people choose the labels.
func (j *Judged) Draw(n int) (*Random, error) {
	r, err := j.Random()
	if err != nil {
		return nil, err
	}
	n = min(n, len(j.IDs))
	switch {
	case r == nil:
		// Nobody chooses the labels that are drawn, not by a seed either.
		d, err := checking.NewDraw(j.Model, n, max(drawn, 10*n), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
		if err != nil {
			return nil, err
		}
		r = &Random{Labels: j.labels(), Strata: d.Sizes}
		for _, c := range d.Checks {
			r.Checks = append(r.Checks, RandomCheck{ID: j.IDs[c.Index], Given: j.Classes[j.Given[c.Index]], Stratum: c.Stratum})
		}
	case n <= r.Asked:
		return r, nil
	case n > len(r.Checks):
		return nil, dataset.Errorf("%s has %d labels, which were drawn at once, and no more can be checked: ask for %d at most", j.folder.Path(RandomFile), len(r.Checks), len(r.Checks))
	}
	r.Asked = n
	return r, j.folder.writeRandom(r)
}

// answer is what a decision says of a given label.
func (d Decision) answer(given string) checking.Answer {
	switch {
	case !d.Holds(given):
		return checking.Unanswered
	case d.Action == Ambiguous:
		return checking.Ambiguous
	case d.Action == None:
		return checking.None
	case d.Action == Skip:
		return checking.Skipped
	case !d.Decides():
		return checking.Unanswered
	case d.Label == given:
		return checking.Right
	}
	return checking.Wrong
}
