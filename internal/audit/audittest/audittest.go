// Package audittest makes audit folders for tests without networks: data with wrong labels
// and known true labels, and the posteriors and results to match.
package audittest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// example is one synthetic example.
type example struct {
	id           string
	truth, given int
	posterior    []float32
}

// draw makes n examples with labels changed by T, and posteriors as accurate as a fair
// network's.
func draw(rng *rand.Rand, n int, t [][]float64) []example {
	c := len(t)
	list := make([]example, n)
	for k := range list {
		e := &list[k]
		e.truth = rng.IntN(c)
		at := rng.Float64()
		for e.given = 0; e.given < c-1 && at >= t[e.truth][e.given]; e.given++ {
			at -= t[e.truth][e.given]
		}
		logits := make([]float32, c)
		for i := range logits {
			logits[i] = float32(1.5 * rng.NormFloat64())
			if i == e.truth {
				logits[i] += 7
			}
		}
		e.posterior = correction.Softmax(logits, c)
	}
	return list
}

// certain is evidence that leaves no doubt about T.
var certain = estimators.Evidence{Nats: 1000, Share: 1}

// fill writes the files of an audit; the examples are in the order of the data.
func fill(f *audit.Folder, s audit.Summary, names []string, t [][]float64, list []example) error {
	c := len(names)
	s.Program, s.Finished, s.Seconds = "0.0.0", "2026-11-22T10:00:00Z", 42
	s.Examples, s.Evidence, s.GivenAccuracy, s.Folds, s.Posterior = len(list), certain, 84.1, 4, "second networks"
	matrix, err := correction.NewMatrix(names, t)
	if err != nil {
		return err
	}
	var given []int
	var posteriors []float32
	for _, e := range list {
		given, posteriors = append(given, e.given), append(posteriors, e.posterior...)
	}
	m, err := judging.New(posteriors, given, matrix, certain)
	if err != nil {
		return err
	}
	s.Pi = m.Pi
	j := m.Judge(m.Pi, nil, nil, false)
	s.Count(names, given, m, j)
	s.Changes = &audit.Changes{Labels: s.Flagged}
	var issues []audit.Issue
	labels := make([]audit.Label, len(list))
	for _, row := range j.Order {
		e := list[row]
		issues = append(issues, audit.Issue{ID: e.id, Given: names[e.given], Suggested: names[j.Suggested[row]],
			PWrong: j.Wrong[row], Row: row})
		labels[row] = audit.Label{ID: e.id, Label: names[e.given]}
		if j.Wrong[row] > judging.LikelyWrong {
			labels[row].Label = names[j.Suggested[row]]
			s.Changes.Right += j.Wrong[row]
		}
	}
	return errors.Join(f.WriteTransition(matrix), f.WriteLabels(labels), f.WriteIssues(issues),
		f.WriteProbabilities(posteriors, c), f.WriteSummary(&s))
}

// Texts makes a table of n short texts, dir/reviews.csv, and its audit in dir/audit. Every
// fifth text of one class has the label of the other.
func Texts(dir string, n int) (*audit.Folder, error) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	names := []string{"negative", "positive"}
	t := [][]float64{{.8, .2}, {.05, .95}}
	list := draw(rng, n, t)
	words := [][]string{
		{"dull", "a waste of two hours", "badly acted", "I left before the end"},
		{"a delight", "wonderfully acted", "I laughed all the way", "a clever plot"},
	}
	table := [][]string{{"id", "text", "label"}}
	for k := range list {
		e := &list[k]
		e.id = fmt.Sprintf("review-%06d", k)
		of := words[e.truth]
		text := fmt.Sprintf("%s, and %s. Seen in cinema %d.", of[rng.IntN(len(of))], of[rng.IntN(len(of))], rng.IntN(1000))
		if k%7 == 0 {
			text += " <b>My sister & I</b> went there on a rainy evening and talked about it until midnight; " +
				of[rng.IntN(len(of))] + "."
		}
		table = append(table, []string{e.id, text, names[e.given]})
	}
	path := filepath.Join(dir, "reviews.csv")
	if err := os.WriteFile(path, audit.CSV(table), 0o666); err != nil {
		return nil, err
	}
	f := audit.At(filepath.Join(dir, "audit"))
	s := audit.Summary{
		Source:  own.Source{Path: path, Text: "text", Label: "label", ID: "id"},
		Command: "losscorr audit " + path + " --text text --label label --id id", Model: "embedding",
	}
	return f, fill(f, s, names, t, list)
}

// Moment is the time of all decisions.
var Moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// Decide appends decisions to a folder's log.
func Decide(t testing.TB, f *audit.Folder, decisions ...audit.Decision) {
	t.Helper()
	log := expect.Got(f.Write())(t)
	expect.OK(t, log.Append(decisions...), log.Close())
}

// Draw draws random checks of n labels of an audit's folder.
func Draw(t testing.TB, f *audit.Folder, n int) (checks []audit.Draw) {
	t.Helper()
	log := expect.Got(f.Write())(t)
	draws, err := expect.Got(f.Judged())(t).Draw(log, n)
	expect.OK(t, err, log.Close())
	for _, k := range draws.Distinct() {
		checks = append(checks, draws[k])
	}
	return checks
}

// Report is the result of the audit in a folder, without the parts that need its networks.
func Report(t testing.TB, f *audit.Folder) *audit.Report {
	t.Helper()
	return &audit.Report{Summary: expect.Got(f.Summary())(t), Issues: expect.Got(f.Issues())(t),
		T: expect.Got(f.Transition())(t)}
}
