package audit

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// drawn is a folder where the examples a to e, all cats, were drawn for random checks.
func drawn(t *testing.T) (*Folder, *dataset.Dataset) {
	t.Helper()
	f := At(t.TempDir())
	data := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{IDs: []string{"a", "b", "c", "d", "e"},
		Labels: make([]int, 5)}}
	var draws Draws
	for _, id := range data.Train.IDs {
		draws = append(draws, Draw{ID: id, Given: "cat", Chance: .2, Labels: judgedOf(data, nil).labels()})
	}
	log := expect.Got(f.Write())(t)
	expect.OK(t, log.AppendDraws(draws...), log.Close())
	return f, data
}

// sheet has an audit read a file with these answers.
func sheet(t *testing.T, f *Folder, data *dataset.Dataset, name, answers string) {
	t.Helper()
	path := filepath.Join(f.Dir(), name)
	put(t, path, "id,given,true\n"+answers)
	expect.OK(t, f.Import(data, own.Source{}, path))
	before := read(t, f.Path(DecisionsFile))
	expect.OK(t, f.Import(data, own.Source{}, path)) // again, which adds nothing
	expect.Same(t, string(before), string(read(t, f.Path(DecisionsFile))))
}

// say lists people's answers, as "a cat, b ambiguous".
func say(t *testing.T, f *Folder) string {
	t.Helper()
	var text []string
	for id, d := range Last(expect.Got(f.Said(own.Source{}))(t)) {
		if d.Decides() {
			text = append(text, id+" "+d.Label)
		} else {
			text = append(text, id+" "+string(d.Action))
		}
	}
	slices.Sort(text)
	return strings.Join(text, ", ")
}

// The last answer counts, from the page or a file. An empty cell or a missing line takes back its own file's answer,
// but not another file's or the page's, and the answer before it counts again.
func TestImport(t *testing.T) {
	f, data := drawn(t)
	decide(t, f, says("", "a", "cat", 0))
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\nc,cat,\n")
	sheet(t, f, data, "t.csv", "a,cat,\nb,cat,\nc,cat,dog\n") // by another person
	expect.Same(t, "a dog, b dog, c dog", say(t, f))
	sheet(t, f, data, "s.csv", "a,cat,\n")
	expect.Same(t, "a cat, c dog", say(t, f))
	sheet(t, f, data, "s.csv", "a,cat,\nb,cat,cat\nc,cat,\n")
	expect.Same(t, "a cat, b cat, c dog", say(t, f))
	decide(t, f, says("", "c", "cat", 0))
	sheet(t, f, data, "t.csv", "")
	expect.Same(t, "a cat, b cat, c cat", say(t, f))
	decide(t, f, says("", "e", "cat", 0), says("", "e", "undo", 0))
	sheet(t, f, data, "u.csv", "d,cat,dog\ne,cat,dog\n")
	decide(t, f, says("", "d", "dog", 0)) // the page agrees
	sheet(t, f, data, "u.csv", "")
	expect.Same(t, "a cat, b cat, c cat, d dog", say(t, f))
}

// An answer that the page took back does not return when its file is read again, but does from another file. An
// answer on the page that replaced it stays, whatever the file's name is.
func TestAnswersThatWereUndone(t *testing.T) {
	f, data := drawn(t)
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	decide(t, f, Decision{ID: "a", Given: "cat", Action: Undo}, says("", "b", "cat", 0))
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	expect.Same(t, "b cat", say(t, f))
	sheet(t, f, data, "t.csv", "a,cat,dog\nb,cat,dog\n")
	expect.Same(t, "a dog, b cat", say(t, f))
}

// A file shows earlier decisions. They count once, not as the agreement of two people.
func TestShownAnswers(t *testing.T) {
	f, data := drawn(t)
	decide(t, f, says("Ann", "a", "dog", 0), says("Ann", "b", "dog", 0), says("Bob", "b", "dog", 0))
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,cat\n")
	tally := TallyOf(expect.Got(f.Said(own.Source{}))(t))
	if len(tally["a"]) != 1 || tally["b"].Verdict().Action != Conflict {
		t.Errorf("%+v", tally)
	}
	expect.Same(t, []Agreement{{First: "Ann", Second: "Bob", Both: 1, Same: 1}}, tally.Agreements())
	decide(t, f, Decision{ID: "a", Given: "cat", Action: Undo, Reviewer: "Ann"})
	expect.Same(t, "b conflict", say(t, f))
}

// A file of review --write has each drawn label once, with the answers of an earlier file. An empty cell takes them
// back.
func TestSecondSheet(t *testing.T) {
	f, data := drawn(t)
	sheet(t, f, data, "s.csv", "a,cat,dog\nb,cat,dog\n")
	j := judgedOf(data, nil)
	log := expect.Got(f.Write())(t)
	draws, others := j.Random(log.Log)
	expect.Same(t, 0, others)
	draws = append(draws, Draw{ID: "a", Given: "cat", Chance: .2})
	expect.OK(t, j.WriteSheet(t.Context(), f.Path("t.csv"), draws, log, true))
	expect.Same(t, "id,text,given,suggested,chance,true\na,,cat,,0.2,dog\nb,,cat,,0.2,dog\nc,,cat,,0.2,\nd,,cat,,0.2,\n"+
		"e,,cat,,0.2,\n", string(read(t, f.Path("t.csv"))))
	err := j.WriteSheet(t.Context(), f.Path("t.csv"), draws, log, true)
	expect.Says(t, err, "t.csv exists")
	expect.OK(t, log.Close())
	sheet(t, f, data, "t.csv", "a,cat,\nb,cat,dog\n")
	expect.Same(t, "b dog", say(t, f))
}

// The answers of a spreadsheet are classes, or states in upper or lower case. Anything else is an error.
func TestReadSheet(t *testing.T) {
	f, data := drawn(t)
	path := f.Path("s.csv")
	const answers = "a,cat,dog\r\nb,cat,Ambiguous\r\nc,cat,none\r\nd,cat, cat \r\ne,cat,SKIP\r\nf,cat,\r\n"
	put(t, path, "\ufeffid,given,true\r\n"+answers)
	expect.Same(t, map[string]Decision{
		"a": {ID: "a", Given: "cat", Label: "dog", Action: Other}, "b": {ID: "b", Given: "cat", Action: Ambiguous},
		"c": {ID: "c", Given: "cat", Label: "none", Action: Other}, // none is a class here
		"d": {ID: "d", Given: "cat", Label: "cat", Action: Accept}, "e": {ID: "e", Given: "cat", Action: Skip},
		"f": {ID: "f", Given: "cat", Action: Undo},
	}, expect.Got(ReadAnswers(path, own.Source{}, []string{"cat", "dog", "none"}))(t))
	for text, want := range map[string]string{
		"id,given,true\na,cat,mouse\n": `s.csv:2: unknown answer "mouse": use a class (cat, dog), ambiguous, none or skip`,
		"id;given;true\n":              "want commas",
		"":                             "s.csv",
		"id,given,true\na\n":           "s.csv",
		"id,given,true\nx,cat,dog\n":   `none of its 1 answers is about an example of the data: names such as "x" do not match names such as "a"`,
		"id,label\na,mouse\n":          `unknown class "mouse" as the label of a`,
	} {
		put(t, path, text)
		err := f.Import(data, own.Source{}, path)
		expect.Fails(t, err, want, dataset.ErrData, text)
	}
}

// Answers are read from another audit's folder, named by itself or its log, from a decisions.csv with any name and
// from a table of labels, together with the labels that they were about.
func TestReadAnswers(t *testing.T) {
	other := At(t.TempDir())
	decide(t, other, says("Ann", "a", "dog", 0), says("Bob", "b", "dog", 0), says("Bob", "c", "cat", 0),
		says("Ann", "c", "dog", 0))
	table := filepath.Join(t.TempDir(), "x.csv")
	for _, tt := range []struct{ path, text, want string }{
		{other.Dir(), "", "a dog, b dog"}, // Ann and Bob disagree on c
		{other.Path(DecisionsFile), "", "a dog, b dog"},
		{table, header + "b,cat,dog,other,2026-01-01T10:00:00Z\n", "b dog"},
		{table, "id,label\na,cat\nd,dog\nz,dog\n", "a cat, d dog"},
	} {
		if tt.text != "" {
			put(t, tt.path, tt.text)
		}
		f, data := drawn(t)
		expect.OK(t, f.Import(data, own.Source{}, tt.path))
		expect.Same(t, tt.want, say(t, f))
		for _, d := range expect.Got(f.Said(own.Source{}))(t) {
			if d.Why != InFile || !filepath.IsAbs(d.From) || d.Given != "cat" || d.Time.IsZero() ||
				(d.Action == Accept) != (d.Label == "cat") {
				t.Errorf("%+v", d)
			}
		}
	}
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "missing.csv"): "missing.csv", filepath.Join(t.TempDir(), csvDecisions): csvDecisions,
	} {
		expect.Fails(t, expect.Err(ReadAnswers(path, own.Source{}, nil)), want, path)
	}
}

func labelled(pairs ...string) map[string]Decision {
	all := map[string]Decision{}
	for k := 0; k < len(pairs); k += 2 {
		all[pairs[k]] = Decision{ID: pairs[k], Label: pairs[k+1], Action: Other}
	}
	return all
}

// Answers without an example, or about another one by now, are left out with a warning. A
// person's decision comes before the data's trusted column.
func TestKnown(t *testing.T) {
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}, Train: dataset.Split{Labels: []int{0, 1, 0, 1},
		IDs: []string{"a", "b", "c", "d"}}}
	trusted := labelled("a", "dog", "x", "dog", "y", "cat")
	trusted["b"] = Decision{ID: "b", Given: "cat", Label: "dog"} // corrected since
	trusted["c"] = Decision{ID: "c", Given: "dog", Label: "dog"} // labelled dog then: another one
	trusted["d"] = Decision{ID: "d", Given: "dog", Label: "cat", Action: Other}
	known, warnings := Known(d, trusted)
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 1}, {Index: 3, Label: 0}}, known)
	expect.Same(t, []string{
		"2 of 6 answers are about examples that the data does not have: they are left out",
		`1 of 6 answers are about an earlier label or classes of the example, such as "c": they are left out`,
	}, warnings)
	d.Train.Trusted = []bool{true, false, true, false}
	known, _ = Known(d, labelled("a", "dog", "b", "cat"))
	expect.Same(t, []correction.Trusted{{Index: 0, Label: 1}, {Index: 1, Label: 0}, {Index: 2, Label: 0}}, known)
	decided := []Decision{
		says("", "a", "none", 0), says("", "c", "skip", 0), {ID: "b", Given: "dog", Label: "cat", Action: Suggested},
		{ID: "b", Given: "dog", Action: Ambiguous}, {ID: "d", Given: "dog", Label: "dog", Action: Accept},
	}
	known, warnings = Known(d, Outcomes(decided))
	expect.Same(t, []correction.Trusted{{Index: 2, Label: 0}, {Index: 3, Label: 1}}, known)
	expect.Same(t, []string{"2 of 3 answers name no class (several fit, or none): the labels of these examples stay open"},
		warnings)
	_, warnings = Known(d, map[string]Decision{"a": {ID: "a", Given: "cat", Action: Conflict}, "b": {ID: "b", Label: "cow"}})
	expect.Same(t, []string{
		`1 of 2 answers are about an earlier label or classes of the example, such as "b": they are left out`,
		"1 of 2 answers are disputed by reviewers: they are left out until losscorr review settles them",
	}, warnings)
}

// Decisions and trusted labels with numbers of classes count after the classes get names.
func TestWithNames(t *testing.T) {
	got := withNames([]Decision{
		{ID: "a", Given: "0", Label: "10", Action: Other}, {ID: "b", Given: "neither", Label: "neither", Action: Accept},
		{ID: "c", Given: "1", Action: Skip},
	}, own.Source{ClassNames: []string{"0=hate", "10=neither"}})
	expect.Same(t, []Decision{
		{ID: "a", Given: "hate", Label: "neither", Action: Other},
		{ID: "b", Given: "neither", Label: "neither", Action: Accept}, {ID: "c", Given: "1", Action: Skip},
	}, got)
}
