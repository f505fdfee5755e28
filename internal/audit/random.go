package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Draws are labels of an audit that were drawn at random, in the order of the draw.
type Draws []Draw

// Distinct returns the place of the first draw of each label.
func (r Draws) Distinct() []int {
	seen, out := make(map[string]bool, len(r)), []int(nil)
	for k, d := range r {
		if !seen[d.ID] {
			seen[d.ID] = true
			out = append(out, k)
		}
	}
	return out
}

// Judged are the labels of a finished audit, in the order of the data, with the model that judges them without
// people's answers.
type Judged struct {
	Summary Summary
	Issues  []Issue   // worst first
	G       []float32 // probabilities.npy
	Sums    []uint64  // content_hashes.npy; nil if unknown

	Classes []string
	IDs     []string
	Given   []int
	Model   *judging.Model

	rows map[string]int
}

// Judged reads the labels of an audit and judges them as it did. The error is dataset.ErrData if its files do not fit
// together.
func (f *Folder) Judged() (*Judged, error) {
	j, c := &Judged{}, 0
	var err error
	if j.Summary, err = f.Summary(); err != nil {
		return nil, err
	}
	if j.Issues, err = f.Issues(); err != nil {
		return nil, err
	}
	if j.G, c, err = f.Posteriors(ProbabilitiesFile); err != nil {
		return nil, err
	}
	if j.Sums, err = f.Sums(); err != nil {
		return nil, err
	}
	n := len(j.Issues)
	j.Classes, j.IDs, j.Given = j.Summary.ClassNames(), make([]string, n), make([]int, n)
	switch {
	case c != len(j.Classes) || len(j.G) != c*n:
		return nil, f.damaged(ProbabilitiesFile, "%d probabilities for %d examples of %d classes", len(j.G), n,
			len(j.Classes))
	case j.Sums != nil && len(j.Sums) != n:
		return nil, f.damaged(SumsFile, "%d hashes for %d examples", len(j.Sums), n)
	}
	number := make(map[string]int, c)
	for k, name := range j.Classes {
		number[name] = k
	}
	for _, i := range j.Issues {
		given, known := number[i.Given]
		if _, also := number[i.Suggested]; !known || !also {
			return nil, f.damaged(IssuesFile, "example %q has a class that is missing in %s", i.ID, SummaryFile)
		}
		j.IDs[i.Row], j.Given[i.Row] = i.ID, given
	}
	if j.Model, err = f.model(j.Summary, j.G, j.Given); err != nil {
		return nil, err
	}
	j.index()
	return j, nil
}

// NoModel reports that no audit has judged the labels: Model has equal probabilities.
func (j *Judged) NoModel() bool { return j.Summary.Model == NoModel }

// model returns the model of an audit from its files.
func (f *Folder) model(s Summary, g []float32, given []int) (m *judging.Model, err error) {
	if s.Crowd != nil {
		var networks []float32
		if s.Folds > 0 || s.GivenAccuracy > 0 {
			if networks, _, err = f.Posteriors(NoisyFile); err != nil {
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

func (j *Judged) index() {
	j.rows = make(map[string]int, len(j.IDs))
	for row, id := range j.IDs {
		j.rows[id] = row
	}
}

// labels is a hash of the names and labels of the examples, in the order of the data.
func (j *Judged) labels() string {
	h := sha256.New()
	for row, id := range j.IDs {
		fmt.Fprintf(h, "%q %q\n", id, j.Classes[j.Given[row]])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Row returns the row of an example, or -1.
func (j *Judged) Row(id string) int {
	if row, ok := j.rows[id]; ok {
		return row
	}
	return -1
}

// Random returns the draws from the present labels, and the number of draws from other labels, which do not count.
func (j *Judged) Random(log Log) (r Draws, others int) {
	labels := j.labels()
	for _, d := range log.Draws {
		if d.Labels == labels {
			r = append(r, d)
		} else {
			others++
		}
	}
	return r, others
}

// Draw draws labels at random until there are n different ones, and keeps those in the log. There is no seed to
// choose and no way to draw again, since people could use both to choose the labels.
func (j *Judged) Draw(log *LogWriter, n int) (Draws, error) {
	r, _ := j.Random(log.Log)
	n = min(n, len(j.IDs))
	before, labels := len(r), j.labels()
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for distinct := len(r.Distinct()); distinct < n && len(r) < mostDraws*n; distinct = len(r.Distinct()) {
		draws, err := checking.NewDraw(j.Model.ClassDependent, j.Model.InstanceDependent, n-distinct, rng)
		if err != nil {
			return r, err
		}
		for _, d := range draws {
			r = append(r, Draw{ID: j.IDs[d.Index], Given: j.Classes[j.Given[d.Index]], Chance: d.Chance,
				Labels: labels})
		}
	}
	return r, log.AppendDraws(r[before:]...)
}

// mostDraws is the largest number of draws per label asked for. With few labels some are drawn many times.
const mostDraws = 50

// answer converts a decision about a given label.
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
