package audit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	log.Answers = merge(log.Answers, r.answers())
	return log, nil
}

// isDecisions reports whether a table with these columns holds decisions: a decisions.csv of an older version, or an
// export of answers.
func isDecisions(header []string) bool {
	return slices.Contains(header, "id") && slices.Contains(header, "label") && slices.Contains(header, "decision")
}

// readDecisionsCSV reads a table of decisions. Lines may end in CR, as in old spreadsheets, and the last line may be
// cut off.
func readDecisionsCSV(path string) (list []Decision, err error) {
	data, err := files.Read(path, 1<<30)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil || !isDecisions(header) {
		return nil, dataset.Errorf("%s: line 1: the columns id, label and decision are missing: save the file as CSV with "+
			"commas, in UTF-8", path)
	}
	for n := 2; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		var d Decision
		if err == nil {
			d, err = parseRecord(record, header)
		}
		if last := !bytes.Contains(data[r.InputOffset():], []byte("\n")); err != nil && last && data[len(data)-1] != '\n' {
			return list, nil
		}
		if err != nil {
			return nil, dataset.Errorf("%s: line %d: %w", path, n, err)
		}
		list = append(list, d)
	}
}

// parseRecord reads a line of a table of decisions.
func parseRecord(record, header []string) (d Decision, err error) {
	if len(record) != len(header) {
		return d, fmt.Errorf("%d columns, want %d", len(record), len(header))
	}
	for k, cell := range record {
		value := rows.Original(cell)
		switch header[k] {
		case "id":
			d.ID = value
		case "given":
			d.Given = value
		case "label":
			d.Label = value
		case "decision":
			d.Action = Action(value)
		case "reviewer", "worker":
			d.Reviewer = strings.TrimPrefix(value, NoName)
		case "settles":
			if value != "" {
				d.Why = Settlement
			}
		case "time":
			d.Time, err = time.Parse(time.RFC3339, value)
		}
	}
	return d, errors.Join(err, d.check())
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

// merge inserts answers from files into decisions by their time. It leaves out answers that agree with the verdict at
// that time.
func merge(decisions, answers []Decision) []Decision {
	if len(answers) == 0 {
		return decisions
	}
	latest := map[string]time.Time{} // the order in the file counts, not the clock
	times := make([]time.Time, len(decisions), len(decisions)+len(answers))
	for k, d := range decisions {
		if d.Time.After(latest[d.ID]) {
			latest[d.ID] = d.Time
		}
		times[k] = latest[d.ID]
	}
	all := slices.Concat(decisions, answers)
	order := make([]int, len(all))
	for k := range all {
		order[k] = k
		if k >= len(decisions) {
			times = append(times, all[k].Time)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return times[x].Compare(times[y]) })
	out, tally := make([]Decision, 0, len(all)), Tally{}
	for _, k := range order {
		if d := all[k]; d.Why != InFile || !tally[d.ID].On(d.Given).Verdict().agrees(d) {
			tally.Add(d)
			out = append(out, d)
		}
	}
	return out
}
