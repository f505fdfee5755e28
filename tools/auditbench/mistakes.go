package auditbench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/npy"
)

// mistakes are labels that people have judged: those of Northcutt, Athalye and Mueller,
// "Pervasive Label Errors in Test Sets" (2021), in the files of the repository
// cleanlab/label-errors. A label is wrong where fewer than 3 of 5 people chose it. Only
// labels that cleanlab had flagged were shown to people, so a ranking is judged among
// these.
type mistakes struct {
	posteriors, labels string
	given              []int
	wrong              map[string]bool // by the name of the example
	place              map[string]int  // of an example in posteriors and labels
	answers            []mturk
}

// mturk is how many of five people chose the given label of an example, and the guessed one.
type mturk struct {
	ID    any `json:"id"`
	MTurk struct {
		Given   int `json:"given"`
		Guessed int `json:"guessed"`
	} `json:"mturk"`
}

// readMistakes reads those of a data set, cifar10 or imdb.
func readMistakes(folder, data string) (mistakes, error) {
	file := func(name string) string { return filepath.Join(folder, data+name) }
	m := mistakes{
		posteriors: file("_test_set_pyx.npy"), labels: file("_test_set_original_labels.npy"),
		wrong: map[string]bool{}, place: map[string]int{},
	}
	labels, _, err := npy.ReadFloat32(m.labels)
	if err != nil {
		return m, err
	}
	for i, y := range labels {
		m.given = append(m.given, int(y))
		m.place[strconv.Itoa(i)] = i
	}
	if err := readJSON(file("_mturk.json"), &m.answers); err != nil {
		return m, err
	}
	if data == "imdb" {
		var names []string
		if err := readJSON(file("_test_set_index_to_filename.json"), &names); err != nil {
			return m, err
		}
		for i, name := range names {
			m.place["test/"+strings.TrimSuffix(name, ".txt")] = i
		}
	}
	for _, x := range m.answers {
		id := fmt.Sprint(x.ID)
		if _, ok := m.place[id]; !ok {
			return m, fmt.Errorf("%s: example %s is not in the test set", file("_mturk.json"), id)
		}
		m.wrong[id] = x.MTurk.Given < 3
	}
	return m, nil
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// score returns the average precision and F1 of an audit's ranking among the judged labels,
// and how many of them are wrong. name gives the name that an example of the ranking has
// among them.
func (m mistakes) score(a audited, name func(id string) string) (precision, f1 float64, wrong int, err error) {
	issues, err := a.folder.Issues()
	if err != nil {
		return 0, 0, 0, err
	}
	var j judgement
	known := map[int]bool{}
	for k, i := range issues {
		j.order, j.wrong = append(j.order, k), append(j.wrong, i.PWrong)
		if bad, judged := m.wrong[name(i.ID)]; judged {
			known[k] = bad
			if bad {
				wrong++
			}
		}
	}
	if len(known) != len(m.wrong) {
		return 0, 0, 0, fmt.Errorf("%d of %d judged labels are in the ranking", len(known), len(m.wrong))
	}
	precision, f1 = j.score(known)
	return precision, f1, wrong, nil
}

// request is the same question to cleanlab. place gives that of an example in posteriors.
func (m mistakes) request(posteriors string, given []int, place func(id string) int) request {
	r := request{Posteriors: posteriors, Given: given}
	for id, bad := range m.wrong {
		r.Judged, r.Wrong = append(r.Judged, place(id)), append(r.Wrong, bad)
	}
	return r
}

// mistakes judges the rankings of real mistakes: from the given posteriors of both data
// sets, and from our own networks on IMDB's test set.
func (b *bench) mistakes(ctx context.Context) error {
	for _, data := range []string{"imdb", "cifar10"} {
		m, err := readMistakes(b.Mistakes, data)
		if err != nil {
			return err
		}
		row := comparison{Data: data + " test set, given posteriors", Noise: "real mistakes", Examples: len(m.wrong)}
		for _, bad := range m.wrong {
			if bad {
				row.Wrong++
			}
		}
		if err := b.add(ctx, row, m.request(m.posteriors, m.given, func(id string) int { return m.place[id] })); err != nil {
			return err
		}
	}
	reviews, err := b.reviews("test")
	if err != nil {
		b.say("our own networks on IMDB's test set are left out: %v", err)
		return nil
	}
	m, err := readMistakes(b.Mistakes, "imdb")
	if err != nil {
		return err
	}
	clean, err := correction.Identity(sentiments)
	if err != nil {
		return err
	}
	n, err := b.imdb(reviews, clean)
	if err != nil {
		return err
	}
	a, err := b.audit(ctx, n.arguments[:len(n.arguments)-2]...) // nobody knows the truth
	if err != nil {
		return err
	}
	places := map[string]int{}
	for i, r := range reviews {
		places[r.ID] = i
	}
	r := m.request(a.folder.Path("noisy_probabilities.npy"), n.given, func(id string) int { return places[id] })
	row := comparison{Data: "imdb test set, own networks", Noise: "real mistakes", Examples: len(m.wrong), Seconds: a.seconds}
	if row.AveragePrecision, row.F1, row.Wrong, err = m.score(a, func(id string) string { return id }); err != nil {
		return err
	}
	return b.add(ctx, row, r)
}
