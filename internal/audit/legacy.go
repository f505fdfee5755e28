package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
)

// The files of versions before decisions.jsonl for people's answers.
const (
	csvDecisions = "decisions.csv"
	randomChecks = "random_checks.json"
)

// readLegacy reads these files, and leaves them as they are. The Log is empty if there are none.
func (f *Folder) readLegacy() (log Log, err error) {
	if log.Answers, err = readDecisionsCSV(f.Path(csvDecisions)); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return Log{}, err
	}
	data, err := files.Read(f.Path(randomChecks), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return log, nil
	}
	var r legacyChecks
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil {
		log.Draws, err = r.draws()
	}
	if err != nil {
		return Log{}, f.damaged(randomChecks, "%w", err)
	}
	last, latest := Last(log.Answers), map[string]time.Time{} // the order in the file counts, not the clock
	for _, d := range log.Answers {
		latest[d.ID] = slices.MaxFunc([]time.Time{latest[d.ID], d.Time}, time.Time.Compare)
	}
	for _, d := range r.answers() {
		if before := last[d.ID]; before.Action == "" || d.Time.After(latest[d.ID]) && !before.agrees(d) {
			log.Answers = append(log.Answers, d) // otherwise a later decision has replaced it
		}
	}
	return log, nil
}

// isDecisions reports whether a table with these columns holds decisions: a decisions.csv of an older version, or an
// export of answers.
func isDecisions(header []string) bool {
	return slices.Contains(header, "id") && slices.Contains(header, "label") && slices.Contains(header, "decision")
}

// readDecisionsCSV reads a table of decisions.
func readDecisionsCSV(path string) (list []Decision, err error) {
	r, err := rows.Open(path)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	defer func() { _ = r.Close() }()
	if !isDecisions(r.Columns()) {
		return nil, dataset.Errorf("%s: the columns id, label and decision are missing: save the file as CSV with commas, "+
			"in UTF-8", path)
	}
	err = r.Each(func(row []string) error {
		cell := func(column string) string {
			if k := r.Index(column); k >= 0 {
				return rows.Original(row[k])
			}
			return ""
		}
		d := Decision{ID: cell("id"), Given: cell("given"), Label: cell("label"), Action: Action(cell("decision")),
			Reviewer: strings.TrimPrefix(cmp.Or(cell("reviewer"), cell("worker")), NoName)}
		if cell("settles") != "" {
			d.Why = Settlement
		}
		var failed error
		if text := cell("time"); text != "" {
			d.Time, failed = time.Parse(time.RFC3339, text)
		}
		list = append(list, d)
		if failed = errors.Join(failed, d.check()); failed != nil {
			return fmt.Errorf("%s: %w", r.Where(), failed)
		}
		return nil
	})
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	return list, nil
}

// legacyChecks is random_checks.json.
type legacyChecks struct {
	Schema int
	Labels string
	Checks []struct {
		ID, Given string
		Chance    float64
		Stratum   int // only in schema 1
		Answer    Action
		Label     string
		Time      time.Time
		Files     []string
	}
	// Only in schema 1, which drew by strata, and more labels than were asked for.
	Asked  int
	Strata []int // numbers of examples
}

// draws returns the draws. Schema 1 drew all strata equally often.
func (r *legacyChecks) draws() (draws []Draw, err error) {
	if r.Schema != 1 && r.Schema != 2 {
		return nil, fmt.Errorf("schema %d, want 1 or 2", r.Schema)
	}
	if r.Schema == 1 {
		if r.Asked < 1 || r.Asked > len(r.Checks) {
			return nil, fmt.Errorf("asked is %d, want 1 to %d checks", r.Asked, len(r.Checks))
		}
		r.Checks = r.Checks[:r.Asked]
	}
	for _, c := range r.Checks {
		if r.Schema == 1 {
			if c.Stratum < 0 || c.Stratum >= len(r.Strata) || r.Strata[c.Stratum] < 1 {
				return nil, fmt.Errorf("example %q has the stratum %d of %d", c.ID, c.Stratum, len(r.Strata))
			}
			c.Chance = 1 / float64(len(r.Strata)*r.Strata[c.Stratum])
		}
		if !(c.Chance > 0 && c.Chance <= 1) {
			return nil, fmt.Errorf("example %q was drawn with probability %v", c.ID, c.Chance)
		}
		draws = append(draws, Draw{ID: c.ID, Given: c.Given, Chance: c.Chance, Labels: r.Labels})
	}
	return draws, nil
}

// answers returns the answers as read from files.
func (r *legacyChecks) answers() (answers []Decision) {
	for _, c := range r.Checks {
		if c.Answer == "" {
			continue
		}
		from := ""
		if len(c.Files) > 0 {
			from = c.Files[0]
		}
		answers = append(answers, Decision{Time: c.Time, ID: c.ID, Given: c.Given, Action: c.Answer, Label: c.Label,
			Why: InFile, From: from})
	}
	return answers
}
