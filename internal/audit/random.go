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
	"time"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
)

// RandomFile holds the random checks of an audit's folder.
const RandomFile = "random_checks.json"

// Random are the labels that were drawn at random, as random_checks.json, in the order of the draw. A label can be
// drawn more than once.
type Random struct {
	Schema int           `json:"schema"` // 2
	Labels string        `json:"labels"` // hash of the names and labels that it was drawn from
	Checks []RandomCheck `json:"checks"`

	// Of schema 1, which drew by strata, and more labels than were asked for.
	Asked  int   `json:"asked,omitempty"`
	Strata []int `json:"strata,omitempty"` // numbers of examples
}

// RandomCheck is an example that was drawn.
type RandomCheck struct {
	ID      string    `json:"id"`
	Given   string    `json:"given"`
	Chance  float64   `json:"chance"`            // of one draw to pick it
	Stratum int       `json:"stratum,omitempty"` // of schema 1, from 0
	Answer  Action    `json:"answer,omitempty"`  // that was read from a file of answers; that of decisions.csv is not here
	Label   string    `json:"label,omitempty"`   // of the answer
	Time    time.Time `json:"time,omitzero"`     // when the file was read
	Files   []string  `json:"files,omitempty"`   // that have the answer: an empty cell of one of them takes it back
}

// Distinct returns the places in Checks of the labels that were drawn, each once.
func (r *Random) Distinct() []int {
	seen, out := make(map[string]bool, len(r.Checks)), []int(nil)
	for k, c := range r.Checks {
		if !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, k)
		}
	}
	return out
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
	return e.Path + " was drawn from other examples or labels: the labels have changed since; move the file away and " +
		"draw again with losscorr review FOLDER --random N"
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
	switch r.Schema {
	case 1:
		if err := r.unstratify(); err != nil {
			return nil, f.damaged(RandomFile, "%w", err)
		}
	case randomSchema:
	default:
		return nil, f.damaged(RandomFile, "schema %d, want %d: another version of the program wrote it", r.Schema,
			randomSchema)
	}
	for _, c := range r.Checks {
		if !(c.Chance > 0 && c.Chance <= 1) {
			return nil, f.damaged(RandomFile, "example %q was drawn with probability %v", c.ID, c.Chance)
		}
	}
	return r, nil
}

// randomSchema is the version of random_checks.json.
const randomSchema = 2

// unstratify gives the checks of schema 1 their chances: each stratum was as likely as every other one.
func (r *Random) unstratify() error {
	if r.Asked < 1 || r.Asked > len(r.Checks) {
		return fmt.Errorf("%d of %d checks were asked for", r.Asked, len(r.Checks))
	}
	r.Checks = r.Checks[:r.Asked]
	for k, c := range r.Checks {
		if c.Stratum < 0 || c.Stratum >= len(r.Strata) || r.Strata[c.Stratum] < 1 {
			return fmt.Errorf("example %q is of stratum %d of %d", c.ID, c.Stratum, len(r.Strata))
		}
		r.Checks[k].Chance, r.Checks[k].Stratum = 1/float64(len(r.Strata)*r.Strata[c.Stratum]), 0
	}
	r.Asked, r.Strata = 0, nil
	return nil
}

func (f *Folder) writeRandom(r *Random) error {
	r.Schema = randomSchema
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path(RandomFile), err)
	}
	return f.write(RandomFile, append(data, '\n'))
}

// Judged are the labels of a finished audit, in the order of the data, with the model that judges them without what
// people have said of them.
type Judged struct {
	Classes []string
	IDs     []string
	Given   []int
	Model   *judging.Model

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
		return nil, f.damaged(ProbabilitiesFile, "%d probabilities for %d examples of %d classes", len(g), len(issues),
			len(s.Classes))
	}
	j := &Judged{Classes: s.ClassNames(), IDs: make([]string, len(issues)), Given: make([]int, len(issues))}
	number := make(map[string]int, c)
	for k, name := range j.Classes {
		number[name] = k
	}
	for _, i := range issues {
		j.IDs[i.Row], j.Given[i.Row] = i.ID, number[i.Given]
	}
	if j.Model, err = f.model(s, g, j.Given); err != nil {
		return nil, err
	}
	j.index(f)
	return j, nil
}

// model returns the model of an audit from its files.
func (f *Folder) model(s Summary, g []float32, given []int) (m *judging.Model, err error) {
	if s.Crowd != nil {
		var networks []float32
		if s.Folds > 0 || s.GivenAccuracy > 0 {
			if networks, _, err = f.Noisy(); err != nil {
				return nil, err
			}
		}
		m, err = judging.Consensus(g, networks, given, s.ClassNames())
	} else {
		t, failed := f.Transition()
		if failed != nil {
			return nil, failed
		}
		m, err = judging.New(g, given, t, s.Evidence)
	}
	if err != nil {
		return nil, dataset.Errorf("%s: %w", f.Dir(), err)
	}
	return m, nil
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

// Draw returns random checks of n labels. Those that the folder has are kept: drawing again would let the
// answers choose the labels. Nobody chooses the labels by a seed either.
func (j *Judged) Draw(n int) (*Random, error) {
	r, err := j.Random()
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &Random{Labels: j.labels()}
	}
	n = min(n, len(j.IDs))
	before, rng := len(r.Checks), rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for distinct := len(r.Distinct()); distinct < n && len(r.Checks) < mostDraws*n; distinct = len(r.Distinct()) {
		draws, err := checking.NewDraw(j.Model.ClassDependent, j.Model.InstanceDependent, n-distinct, rng)
		if err != nil {
			return nil, err
		}
		for _, d := range draws {
			r.Checks = append(r.Checks, RandomCheck{ID: j.IDs[d.Index], Given: j.Classes[j.Given[d.Index]], Chance: d.Chance})
		}
	}
	if len(r.Checks) == before {
		return r, nil
	}
	return r, j.folder.writeRandom(r)
}

// mostDraws bounds the draws for each label that is asked for. Of few labels some are drawn many times.
const mostDraws = 50

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
