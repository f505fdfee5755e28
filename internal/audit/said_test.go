package audit

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// checks are random checks of the examples a to e, in a folder with decisions.
func checks(t *testing.T, decisions string) (*Folder, *dataset.Dataset) {
	t.Helper()
	f := At(t.TempDir())
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{IDs: []string{"a", "b", "c", "d", "e"},
		Labels: make([]int, 5)}}
	r := &Random{Labels: f.judgedOf(data).labels()}
	for _, id := range data.Train.IDs {
		r.Checks = append(r.Checks, RandomCheck{ID: id, Given: "cat", Chance: .2})
	}
	expect.OK(t, f.writeRandom(r))
	if decisions != "" {
		put(t, f.Path(DecisionsFile), header+decisions)
	}
	return f, data
}

// sheet has an audit read a file with these answers.
func sheet(t *testing.T, f *Folder, data *dataset.Dataset, name, answers string) {
	t.Helper()
	path := filepath.Join(f.Dir(), name)
	put(t, path, "id,given,true\n"+answers)
	told := expect.Got(ReadSheet(path, own.Source{}, data.Classes))(t)
	expect.OK(t, f.Remember(data, own.Source{}, told, path))
}

// say is what people say, as "a cat, b ambiguous".
func say(t *testing.T, f *Folder) string {
	t.Helper()
	said := expect.Got(f.Said(own.Source{}))(t)
	var text []string
	for id, d := range Last(said) {
		if d.Decides() {
			text = append(text, id+" "+d.Label)
		} else {
			text = append(text, id+" "+string(d.Action))
		}
	}
	slices.Sort(text)
	return strings.Join(text, ", ")
}

// The newer one of a decision and an answer of a file holds, and an undo takes back either.
func TestSaidInOrderOfTime(t *testing.T) {
	later := time.Now().UTC().AddDate(0, 0, 1).Format(time.RFC3339)
	f, data := checks(t, "a,cat,cat,accept,2026-01-01T10:00:00Z\n"+
		"b,cat,dog,other,"+later+"\n"+
		"c,cat,,undo,"+later+"\n"+
		"d,cat,dog,other,"+later+"\nd,cat,cat,accept,2026-01-01T10:00:00Z\n"+ // the last line counts
		"x,cat,dog,other,2026-01-01T10:00:00Z\n")
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,cat\nc,cat,dog\nd,cat,dog\ne,cat,none\n")
	expect.Same(t, "a dog, b dog, d cat, e none, x dog", say(t, f))
	trusted := expect.Got(ReadTrusted(f.Path(DecisionsFile), own.Source{}))(t)
	if trusted["a"].Label != "dog" || trusted["b"].Label != "dog" || len(trusted) != 5 {
		t.Errorf("%v", trusted)
	}
}

// An empty cell takes back what its file said, and no answer of another file or of a review.
func TestEmptyCells(t *testing.T) {
	f, data := checks(t, "a,cat,cat,accept,2026-01-01T10:00:00Z\n")
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\nc,cat,\n")
	sheet(t, f, data, "t.csv", "a,cat,\nb,cat,\nc,cat,dog\n") // by another person
	expect.Same(t, "a dog, b dog, c dog", say(t, f))
	sheet(t, f, data, "s.csv", "a,cat,\nb,cat,\nc,cat,\n")
	expect.Same(t, "a cat, c dog", say(t, f))
	sheet(t, f, data, "s.csv", "a,cat,\nb,cat,cat\nc,cat,\n")
	expect.Same(t, "a cat, b cat, c dog", say(t, f))
}

// What an answer was taken back by on the page, reading its file again does not undo; another file says it again.
func TestAnswersThatWereUndone(t *testing.T) {
	f, data := checks(t, "")
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	old := expect.Got(f.readRandom())(t)
	for k := range old.Checks { // as if it were an hour ago
		old.Checks[k].Time = now().Add(-time.Hour)
	}
	expect.OK(t, f.writeRandom(old))
	half := now().Add(-time.Hour / 2).Format(time.RFC3339)
	put(t, f.Path(DecisionsFile), header+"a,cat,,undo,"+half+"\nb,cat,cat,accept,"+half+"\n")
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	expect.Same(t, "b cat", say(t, f))
	sheet(t, f, data, "t.csv", "a,cat,dog\nb,cat,dog\n")
	expect.Same(t, "a dog, b cat", say(t, f)) // b was read before the decision, whatever its file is called now
}

// A file shows what was decided before. That is said once, and is no agreement of two people.
func TestShownAnswers(t *testing.T) {
	f, data := checks(t, "")
	text := "id,given,label,decision,reviewer,settles,time\na,cat,dog,other,Ann,,2026-01-01T10:00:00Z\nb,cat,dog,other,Ann,,2026-01-01T10:00:00Z\nb,cat,dog,other,Bob,,2026-01-01T10:00:00Z\n"
	put(t, f.Path(DecisionsFile), text)
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,cat\n")
	said := expect.Got(f.Said(own.Source{}))(t)
	tally := TallyOf(said)
	if len(tally["a"]) != 1 || tally["b"].Verdict().Action != Conflict {
		t.Errorf("%+v", tally)
	}
	expect.Same(t, []Agreement{{First: "Ann", Second: "Bob", Both: 1, Same: 1}}, tally.Agreements())
	put(t, f.Path(DecisionsFile), text+"a,cat,,undo,Ann,,2096-01-02T10:00:00Z\n")
	expect.Same(t, "b conflict", say(t, f))
}

// A file that review --write makes has each label that was drawn once, with the answers of an earlier file. An empty
// cell in it takes them back.
func TestSecondSheet(t *testing.T) {
	f, data := checks(t, "")
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	said := expect.Got(f.Said(own.Source{}))(t)
	j := f.judgedOf(data)
	r := expect.Got(j.Random())(t)
	r.Checks = append(r.Checks, RandomCheck{ID: "a", Given: "cat", Chance: .2})
	expect.OK(t, j.WriteSheet(t.Context(), f.Path("t.csv"), r, own.Source{}, Last(said), true))
	expect.Same(t, "id,text,given,suggested,chance,true\na,,cat,,0.2,dog\nb,,cat,,0.2,dog\nc,,cat,,0.2,\nd,,cat,,0.2,\n"+
		"e,,cat,,0.2,\n", string(read(t, f.Path("t.csv"))))
	if err := j.WriteSheet(t.Context(), f.Path("t.csv"), r, own.Source{}, nil, true); !errors.Is(err, dataset.ErrData) {
		t.Errorf("a file that is there: %v", err)
	}
	sheet(t, f, data, "t.csv", "a,cat,\nb,cat,dog\n")
	expect.Same(t, "b dog", say(t, f))
}

// The answers of a spreadsheet are classes, or states in upper or lower case. Anything else is an error, and so is an
// answer that nobody asked for.
func TestReadSheet(t *testing.T) {
	f, data := checks(t, "")
	path := f.Path("s.csv")
	const answers = "a,cat,dog\r\nb,cat,Ambiguous\r\nc,cat,none\r\nd,cat, cat \r\ne,cat,SKIP\r\nf,cat,\r\n"
	put(t, path, "\ufeffid,given,true\r\n"+answers)
	expect.Same(t, map[string]Decision{
		"a": {ID: "a", Given: "cat", Label: "dog", Action: Other}, "b": {ID: "b", Given: "cat", Action: Ambiguous},
		"c": {ID: "c", Given: "cat", Label: "none", Action: Other}, // none is a class here
		"d": {ID: "d", Given: "cat", Label: "cat", Action: Accept}, "e": {ID: "e", Given: "cat", Action: Skip},
		"f": {ID: "f", Given: "cat", Action: Undo},
	}, expect.Got(ReadSheet(path, own.Source{}, []string{"cat", "dog", "none"}))(t))
	for text, want := range map[string]string{
		"id,given,true\na,cat,mouse\n": `line 2: "mouse" is no class (cat, dog), and not ambiguous, none or skip`,
		"id;given;true\n":              "no columns id, given and true",
		"":                             "EOF",
		"id,given,true\na\n":           "wrong number of fields",
	} {
		put(t, path, text)
		_, err := ReadSheet(path, own.Source{}, data.Classes)
		if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for want, folder := range map[string]*Folder{"not drawn": f, "no random_checks.json": At(t.TempDir())} {
		err := folder.Remember(data, own.Source{}, map[string]Decision{"x": {ID: "x", Action: None}}, path)
		if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A decisions.csv that no review has written yet is one without decisions, in the folder of an audit alone.
func TestNoDecisionsYet(t *testing.T) {
	f, data := checks(t, "")
	if _, err := ReadTrusted(f.Path(DecisionsFile), own.Source{}); err == nil {
		t.Error("a file that is missing is read")
	}
	expect.OK(t, f.Begin(own.Source{Path: "x"}, nil))
	sheet(t, f, data, "s.csv", "a,cat,dog\n")
	trusted, err := ReadTrusted(f.Path(DecisionsFile), own.Source{})
	if err != nil || len(trusted) != 1 || trusted["a"].Label != "dog" {
		t.Errorf("%v, %v", trusted, err)
	}
	if _, err := ReadTrusted(f.Path("other.csv"), own.Source{}); err == nil {
		t.Error("another file that is missing is read")
	}
}
