package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

var moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// decide appends answers to the log of a folder, and returns the earlier ones.
func decide(t *testing.T, f *Folder, decisions ...Decision) []Decision {
	t.Helper()
	log := expect.Got(f.Write())(t)
	before := log.Answers
	expect.OK(t, log.Append(decisions...), log.Close())
	return before
}

// Answers and draws are read back as they were written, and the last answer about an example counts. Contradictory
// answers are refused, and so is a second process.
func TestLog(t *testing.T) {
	f := At(t.TempDir())
	expect.Same(t, Log{}, expect.Got(f.Log())(t)) // without a file
	list := []Decision{
		{ID: "a", Given: "cat", Label: "cat", Action: Accept, Time: moment, Why: AtRandom, Seconds: 2.5},
		{ID: "b", Given: "cat", Label: "dog", Action: Suggested, Time: moment, Reviewer: "Ann"},
		{ID: "two\nlines, \"x\" <b>", Given: "cat", Label: "cow", Action: Other, Time: moment},
		{ID: "c", Given: "cat", Label: "dog", Action: Suggested, Time: moment},
		{ID: "c", Given: "cat", Label: "", Action: Undo, Time: moment},
		{ID: "d", Given: "dog", Label: "", Action: Skip, Time: moment},
		{ID: "a", Given: "cat", Label: "dog", Action: Suggested, Time: moment, Why: InFile, From: "s.csv"},
	}
	draws := Draws{{ID: "a", Given: "cat", Chance: .25, Labels: "x"}, {ID: "a", Given: "cat", Chance: .25, Labels: "x"}}
	decide(t, f, list[:4]...)
	log := expect.Got(f.Write())(t)
	expect.OK(t, log.AppendDraws(draws...), log.Close())
	expect.Same(t, list[:4], decide(t, f, list[4:]...))
	got := expect.Got(f.Log())(t)
	expect.Same(t, Log{Answers: list, Draws: draws}, got)
	expect.Same(t, map[string]Decision{"a": list[6], "b": list[1], list[2].ID: list[2]}, Outcomes(got.Answers))
	log = expect.Got(f.Write())(t)
	for _, d := range []Decision{
		{ID: "a", Given: "cat", Label: "dog", Action: Accept}, {ID: "a", Given: "cat", Label: "cat", Action: Other},
		{ID: "a", Action: "keep"}, {ID: "a", Label: "cat", Action: Skip}, {ID: "a", Action: Conflict},
	} {
		if err := log.Append(d); err == nil {
			t.Errorf("%+v was written", d)
		}
	}
	expect.Fails(t, expect.Err(f.Write()), "another losscorr review", "a second process")
	expect.OK(t, log.Close())
}

// Wherever kill -9 cuts off a write, the lines before it are read, and the next one is whole.
func TestTornLine(t *testing.T) {
	f := At(t.TempDir())
	path := f.Path(DecisionsFile)
	first, last := says("ann", "a", "cat", 0), says("ann", "two, \"x\"", "dog", 0)
	decide(t, f, first)
	whole := read(t, path)
	decide(t, f, last)
	full := read(t, path)
	for end := range len(full) {
		put(t, path, string(full[:end]))
		var want []Decision
		if end >= len(whole) {
			want = append(want, first)
		}
		expect.Same(t, want, expect.Got(f.Said(own.Source{}))(t))
		if expect.Same(t, want, decide(t, f, last)); t.Failed() {
			t.Fatalf("cut at %d", end)
		}
		if expect.Same(t, append(want, last), decide(t, f)); t.Failed() {
			t.Fatalf("after a cut at %d", end)
		}
	}
}

// Any other damage is an error that names the line, and the file stays as it was, so that no answer is lost.
func TestDamagedLog(t *testing.T) {
	const head = `{"schema":1}` + "\n"
	for text, want := range map[string]string{
		"id,label\n":          "line 1: schema 0, want 1",
		`{"schema":2}` + "\n": "line 1: schema 2, want 1",
		head + "{\n{}\n":      "line 2",
		head + `{"id":"a","answer":"keep"}` + "\n":                                            `unknown answer "keep"`,
		head + `{"id":"a","answer":"none","x":1}` + "\n":                                      `unknown field "x"`,
		head + `{"draw":"a","chance":0}` + "\n":                                               "drawn with probability 0",
		head + `{"id":"a","given":"cat","label":"dog","answer":"other","time":"noon"}` + "\n": "noon",
	} {
		f := At(t.TempDir())
		put(t, f.Path(DecisionsFile), text)
		expect.Fails(t, expect.Err(f.Write()), want, dataset.ErrData, text)
		expect.Fails(t, expect.Err(f.Log()), want, dataset.ErrData, text)
		expect.Same(t, text, string(read(t, f.Path(DecisionsFile))))
	}
}

// An answer is not written to a file that is no longer in the folder.
func TestReplacedLog(t *testing.T) {
	for name, change := range map[string]func(f *Folder) error{
		"replaced": func(f *Folder) error {
			text, err := os.ReadFile(f.Path(DecisionsFile))
			return errors.Join(err, os.WriteFile(f.Path("new"), text, 0o666), os.Rename(f.Path("new"), f.Path(DecisionsFile)))
		},
		"changed": func(f *Folder) error { return os.Truncate(f.Path(DecisionsFile), 3) },
		"removed": func(f *Folder) error { return os.Remove(f.Path(DecisionsFile)) },
	} {
		f := At(filepath.Join(t.TempDir(), "a"))
		expect.OK(t, f.make())
		log := expect.Got(f.Write())(t)
		one := Decision{ID: "a", Given: "cat", Label: "dog", Action: Suggested, Time: moment}
		expect.OK(t, log.Append(one), change(f))
		for range 2 {
			if err := log.Append(one); err == nil || !strings.Contains(err.Error(), "another program") ||
				!strings.Contains(err.Error(), "start it again") {
				t.Errorf("%s: %v, want an error", name, err)
			}
		}
		expect.OK(t, log.Close())
	}
}

const (
	header = "id,given,label,decision,time\n"
	line   = "e,cat,dog,suggested,2026-11-22T10:00:00Z\n"
)

// The files of older versions become the first lines of the log, in order of time, and stay.
func TestLegacy(t *testing.T) {
	f := At(t.TempDir())
	put(t, f.Path(csvDecisions), header+"a,cat,cat,accept,2026-01-01T10:00:00Z\nb,cat,dog,other,2026-03-01T10:00:00Z\n"+
		"d,cat,dog,other,2026-03-01T10:00:00Z\nd,cat,cat,accept,2026-01-01T10:00:00Z\n") // the last line counts
	check := func(id, label string) string {
		return `{"id":"` + id + `","given":"cat","chance":0.2,"answer":"other","label":"` + label +
			`","time":"2026-02-01T10:00:00Z","files":["s.csv"]}`
	}
	put(t, f.Path(randomChecks), `{"schema":2,"labels":"h","checks":[`+check("a", "dog")+","+check("b", "cow")+","+
		check("d", "dog")+`,{"id":"e","given":"cat","chance":0.3}]}`)
	want := Draws{{"a", "cat", .2, "h"}, {"b", "cat", .2, "h"}, {"d", "cat", .2, "h"}, {"e", "cat", .3, "h"}}
	for range 2 { // before and after the log is written
		log := expect.Got(f.Log())(t)
		expect.Same(t, want, log.Draws)
		expect.Same(t, "a dog, b dog, d cat", say(t, f))
		decide(t, f)
	}
	for _, name := range []string{csvDecisions, randomChecks} {
		put(t, f.Path(name), "nothing that can be read") // it is not read again
	}
	expect.Same(t, "a dog, b dog, d cat", say(t, f))
}

// A decisions.csv may have the columns of reviewers, the line ends of old Macs and an incomplete last line. Other
// damage is an error.
func TestLegacyCSV(t *testing.T) {
	whole := header + line + line
	mac := strings.ReplaceAll(whole, "\n", "\r")
	for name, text := range map[string]string{
		"whole": whole, "without an end": strings.TrimSuffix(whole, "\n"), "CR": mac, "CR, cut": mac + "f,ca",
		"CRLF": strings.ReplaceAll(whole, "\n", "\r\n"), "cut": whole + "f,cat,dog,sugg",
		"cut in time": whole + "f,cat,dog,suggested,2026-11", "cut in quotes": whole + "\"f, ",
		"reviewers": "id,given,label,decision,reviewer,settles,time\n" +
			"e,cat,dog,suggested,,,2026-11-22T10:00:00Z\ne,cat,dog,suggested,,,2026-11-22T10:00:00Z\n",
	} {
		f := At(t.TempDir())
		put(t, f.Path(csvDecisions), text)
		d := Decision{ID: "e", Given: "cat", Label: "dog", Action: Suggested, Time: moment}
		if expect.Same(t, []Decision{d, d}, expect.Got(f.Said(own.Source{}))(t)); t.Failed() {
			t.Fatal(name)
		}
	}
	named := "id,given,label,decision,reviewer,settles,time\ne,cat,dog,suggested,Ann,yes,2026-11-22T10:00:00Z\n"
	f := At(t.TempDir())
	put(t, f.Path(csvDecisions), named)
	d := Decision{ID: "e", Given: "cat", Label: "dog", Action: Suggested, Time: moment, Reviewer: "Ann", Why: Settlement}
	expect.Same(t, []Decision{d}, expect.Got(f.Said(own.Source{}))(t))
	for text, want := range map[string]string{
		"id,label\n":                           "line 1: the columns",
		header + "a,cat\nb,cat,cat,accept,x\n": "line 2: 2 columns",
		header + "a,cat,cat,keep,x\n":          `unknown answer "keep"`,
		header + "a,cat,cat,accept,noon\n":     "noon",
		header + "a,cat,\"c\"at,accept,x\nb\n": "line 2",
	} {
		put(t, f.Path(csvDecisions), text)
		expect.Fails(t, expect.Err(f.Write()), want, dataset.ErrData, text)
	}
}

// Checks that the first version drew by strata have the chance 1/(H N_h). Only those asked for count.
func TestLegacyStrata(t *testing.T) {
	f := At(t.TempDir())
	const one = `{"id": "c", "given": "cat", "stratum": 1, "answer": "other", "label": "dog", "time": "2026-11-22T10:00:00Z"}`
	put(t, f.Path(randomChecks), `{"schema": 1, "labels": "h", "asked": 2, "strata": [2, 3], "checks": [`+one+
		`, {"id": "a", "given": "cat", "stratum": 0}, {"id": "b", "given": "cat", "stratum": 0}]}`)
	expect.Same(t, Draws{{"c", "cat", 1. / 6, "h"}, {"a", "cat", 1. / 4, "h"}}, expect.Got(f.Log())(t).Draws)
	expect.Same(t, "c dog", say(t, f))
	for text, want := range map[string]string{
		`{"schema": 1, "asked": 2, "strata": [2, 3], "checks": [` + one + `]}`: "asked is 2, want 1 to 1 checks",
		`{"schema": 1, "asked": 1, "strata": [2], "checks": [` + one + `]}`:    `example "c" has the stratum 1 of 1`,
		`{"schema": 1, "asked": 1, "strata": [2, 0], "checks": [` + one + `]}`: `example "c" has the stratum 1 of 2`,
		`{"schema": 2, "checks": [` + one + `]}`:                               `example "c" was drawn with probability 0`,
		`{"schema": 3}`:                                                        "schema 3, want 1 or 2",
		`{"schema"`:                                                            "random_checks.json",
	} {
		put(t, f.Path(randomChecks), text)
		expect.Fails(t, expect.Err(f.Log()), want, dataset.ErrData, text)
	}
}
