// Package audittest makes the folders of audits for tests: data with wrong labels whose
// true labels are known, and posteriors and results that fit them, without networks.
package audittest

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// example is an example of made-up data.
type example struct {
	id           string
	truth, given int
	posterior    []float64
	wrong        float64
	suggested    int
}

// draw makes n examples whose labels T has changed, with posteriors that know the true
// class as often as a fair network does.
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
		e.posterior = make([]float64, c)
		sum := 0.0
		for i := range e.posterior {
			z := 1.5 * rng.NormFloat64()
			if i == e.truth {
				z += 7
			}
			e.posterior[i] = math.Exp(z)
			sum += e.posterior[i]
		}
		total, best := 0.0, 0.0
		for i := range e.posterior {
			e.posterior[i] /= sum
			joint := t[i][e.given] * e.posterior[i]
			total += joint
			if joint > best {
				best, e.suggested = joint, i
			}
		}
		e.wrong = 1 - t[e.given][e.given]*e.posterior[e.given]/total
	}
	return list
}

// fill writes the files of an audit of examples that are in the order of the data.
func fill(f *audit.Folder, s audit.Summary, names []string, t [][]float64, list []example) error {
	c, n := len(names), len(list)
	s.Program, s.Finished, s.Seconds = "0.0.0", "2026-11-22T10:00:00Z", 42
	s.Examples, s.T, s.TLow, s.THigh = n, t, bounds(t, -1, n), bounds(t, 1, n)
	s.GivenAccuracy, s.CleanAccuracy, s.Folds, s.Posterior = 84.1, 97.9, 4, "mean of both"
	count(&s, names, list)
	s.ToCheck = budgets(list, s.ExpectedWrong)
	var issues []audit.Issue
	var labels []audit.Label
	var posteriors []float32
	for row, e := range list {
		labels = append(labels, audit.Label{ID: e.id, Label: names[e.corrected()]})
		issues = append(issues, audit.Issue{ID: e.id, Given: names[e.given], Suggested: names[e.suggested], PWrong: e.wrong, Row: row})
		for _, v := range e.posterior {
			posteriors = append(posteriors, float32(v))
		}
	}
	slices.SortStableFunc(issues, func(a, b audit.Issue) int { return cmp.Compare(b.PWrong, a.PWrong) })
	for _, class := range s.UnnamedRows {
		surest := slices.Clone(issues)
		slices.SortStableFunc(surest, func(a, b audit.Issue) int {
			return cmp.Compare(list[b.Row].posterior[class], list[a.Row].posterior[class])
		})
		for _, i := range surest[:min(5, len(surest))] {
			s.Ask = append(s.Ask, i.Row)
		}
	}

	matrix, err := correction.NewMatrix(names, t)
	for _, write := range []func() error{
		func() error { return f.WriteTransition(matrix) },
		func() error { return f.WriteLabels(labels) },
		func() error { return f.WriteIssues(issues) },
		func() error { return f.WriteProbabilities(posteriors, c) },
		func() error { return f.WriteSummary(&s) },
	} {
		if err == nil {
			err = write()
		}
	}
	return err
}

// corrected is the class that labels_corrected.csv has.
func (e example) corrected() int {
	if e.wrong > .5 {
		return e.suggested
	}
	return e.given
}

// bounds are the ends of T's ranges, with sign 1 the upper ones.
func bounds(t [][]float64, sign float64, n int) [][]float64 {
	c := len(t)
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = make([]float64, c)
		for j, v := range t[i] {
			rows[i][j] = min(1, max(0, v+sign*1.645*math.Sqrt(v*(1-v)*float64(4*c)/float64(n))))
		}
	}
	return rows
}

// count sums the examples up by class, by confusion, and all.
func count(s *audit.Summary, names []string, list []example) {
	s.Classes = make([]audit.Class, len(names))
	for i, name := range names {
		s.Classes[i].Name = name
	}
	type pair struct{ given, suggested int }
	confusions := map[pair]int{}
	for _, e := range list {
		class := &s.Classes[e.given]
		class.Examples++
		class.ExpectedWrong += e.wrong
		s.ExpectedWrong += e.wrong
		if e.wrong > .5 {
			class.Flagged++
			s.Flagged++
			confusions[pair{e.given, e.suggested}]++
		}
	}
	around := func(v float64) correction.Interval {
		d := 1.645 * math.Sqrt(v+1)
		return correction.Interval{Low: max(0, v-d), High: v + d}
	}
	for i := range s.Classes {
		s.Classes[i].Interval = around(s.Classes[i].ExpectedWrong)
	}
	n := float64(len(list))
	whole := around(s.ExpectedWrong)
	s.NoiseRate, s.NoiseRateInterval = s.ExpectedWrong/n, correction.Interval{Low: whole.Low / n, High: whole.High / n}
	for p, count := range confusions {
		s.Confusions = append(s.Confusions, audit.Confusion{Given: names[p.given], Suggested: names[p.suggested], Count: count})
	}
	slices.SortFunc(s.Confusions, func(a, b audit.Confusion) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Given, b.Given), cmp.Compare(a.Suggested, b.Suggested))
	})
	s.Confusions = s.Confusions[:min(len(s.Confusions), 10)]
}

func budgets(list []example, left float64) []audit.Budget {
	worst := make([]float64, len(list))
	for k, e := range list {
		worst[k] = -e.wrong
	}
	slices.Sort(worst)
	var out []audit.Budget
	checks := 0
	for _, share := range []float64{.05, .02, .01, .005} {
		for ; left > share*float64(len(list)); checks++ {
			left += worst[checks]
		}
		out = append(out, audit.Budget{Share: share, Checks: checks})
	}
	return out
}

// Texts makes a table of n short texts, dir/reviews.csv, of which every fifth of one
// class has the label of the other, and its audit in dir/audit.
func Texts(dir string, n int) (*audit.Folder, error) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	names := []string{"negative", "positive"}
	t := [][]float64{{.8, .2}, {.05, .95}}
	list := draw(rng, n, t)
	words := [][]string{
		{"dull", "a waste of two hours", "badly acted", "I left before the end", "the plot makes no sense", "tiresome jokes"},
		{"a delight", "wonderfully acted", "I laughed all the way", "the best I have seen this year", "a clever plot", "moving and wise"},
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"id", "text", "label"})
	for k := range list {
		e := &list[k]
		e.id = fmt.Sprintf("review-%06d", k)
		of := words[e.truth]
		text := fmt.Sprintf("%s, and %s. Seen in cinema %d.", of[rng.IntN(len(of))], of[rng.IntN(len(of))], rng.IntN(1000))
		if k%7 == 0 {
			text += " <b>My sister & I</b> went there on a rainy evening and talked about it until midnight; " + of[rng.IntN(len(of))] + "."
		}
		_ = w.Write([]string{e.id, text, names[e.given]})
	}
	w.Flush()
	path := filepath.Join(dir, "reviews.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		return nil, err
	}
	f := audit.At(filepath.Join(dir, "audit"))
	s := audit.Summary{
		Source:  own.Source{Path: path, Text: "text", Label: "label", ID: "id"},
		Command: "losscorr audit " + path + " --text text --label label --id id", Model: "embedding",
	}
	return f, fill(f, s, names, t, list)
}

func readTexts(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, r := range records[1:] {
		texts[r[0]] = r[1]
	}
	return texts, nil
}

// Moment is when people decide.
var Moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// Decide adds decisions to those of a folder.
func Decide(t testing.TB, f *audit.Folder, decisions ...audit.Decision) {
	t.Helper()
	log, _, err := f.Decide()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(decisions...), log.Close()); err != nil {
		t.Fatal(err)
	}
}

// Labelled are labels of a table, by pairs of a name and a label.
func Labelled(pairs ...string) map[string]audit.Decision {
	all := map[string]audit.Decision{}
	for k := 0; k < len(pairs); k += 2 {
		all[pairs[k]] = audit.Decision{ID: pairs[k], Label: pairs[k+1]}
	}
	return all
}
