package audit

import (
	"cmp"
	"errors"
	"fmt"
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

func decide(t *testing.T, f *Folder, decisions ...Decision) []Decision {
	t.Helper()
	log, before, err := f.Decide()
	expect.OK(t, err)
	expect.OK(t, log.Append(decisions...), log.Close())
	return before
}

// Decisions are read as they were written, and the last one of an example holds. What no review writes is refused.
func TestDecisions(t *testing.T) {
	f := At(t.TempDir())
	expect.Same(t, nil, expect.Got(ReadDecisions(f.Path(DecisionsFile)))(t)) // without a file
	list := []Decision{
		{ID: "a", Given: "cat", Label: "cat", Action: Accept, Time: moment},
		{ID: "b", Given: "cat", Label: "dog", Action: Suggested, Time: moment},
		{ID: "two, \"x\"", Given: "cat", Label: "cow", Action: Other, Time: moment},
		{ID: "c", Given: "cat", Label: "dog", Action: Suggested, Time: moment},
		{ID: "c", Given: "cat", Label: "", Action: Undo, Time: moment},
		{ID: "d", Given: "dog", Label: "", Action: Skip, Time: moment},
		{ID: "a", Given: "cat", Label: "dog", Action: Suggested, Time: moment},
	}
	decide(t, f, list[:4]...)
	expect.Same(t, list[:4], decide(t, f, list[4:]...))
	got := expect.Got(ReadDecisions(f.Path(DecisionsFile)))(t)
	expect.Same(t, list, got)
	expect.Same(t, map[string]Decision{"a": list[6], "b": list[1], "two, \"x\"": list[2]}, Outcomes(got))
	log, _, err := f.Decide()
	expect.OK(t, err)
	for _, d := range []Decision{
		{ID: "a", Given: "cat", Label: "dog", Action: Accept}, {ID: "a", Given: "cat", Label: "cat", Action: Other},
		{ID: "a", Action: "keep"}, {ID: "a\nb", Action: Skip}, {ID: "a", Label: "cat", Action: Skip},
	} {
		if err := log.Append(d); err == nil {
			t.Errorf("%+v was written", d)
		}
	}
	if _, _, err := f.Decide(); err == nil || !strings.Contains(err.Error(), "another losscorr review") {
		t.Errorf("a second log: %v", err)
	}
	expect.OK(t, log.Close())
}

// Wherever a write is cut off, the lines before it are read, and the next one is whole. A line that lacks its end only
// is whole. So it is where reviewers have names.
func TestTornLine(t *testing.T) {
	for _, reviewer := range []string{"", "ann"} {
		f := At(t.TempDir())
		path := f.Path(DecisionsFile)
		first, last := says(reviewer, "a", "cat", 0), says(reviewer, "two, \"x\"", "dog", 0)
		decide(t, f, first)
		whole := read(t, path)
		decide(t, f, last)
		full := read(t, path)
		for end := range len(full) {
			put(t, path, string(full[:end]))
			var want []Decision
			if end >= len(whole)-1 {
				want = append(want, first)
			}
			if end == len(full)-1 {
				want = append(want, last)
			}
			if expect.Same(t, want, decide(t, f, last)); t.Failed() {
				t.Fatalf("cut at %d", end)
			}
			if expect.Same(t, append(want, last), decide(t, f)); t.Failed() {
				t.Fatalf("after a cut at %d", end)
			}
		}
	}
}

// Other damage than a torn last line is an error, and the file stays as it was, so that no person's answer is lost.
func TestDamagedDecisions(t *testing.T) {
	for text, want := range map[string]string{
		"id,label\n":                               "line 1: the header",
		header + "a,cat\nb,cat,cat,accept,x\n":     "line 2: 2 columns",
		header + "a,cat,cat,keep,x\n":              `unknown decision "keep"`,
		header + "a,cat,cat,accept,noon\n":         "noon",
		header + "a,cat,\"c\"at,accept,x\nb,c,d\n": "line 2",
		header + "a,cat,\"cat,accept,x\nb,c,d":     "line 3", // the quote opens over what follows

		header + line + "f,cat,dog,sugested,2026-11-22T10:00:00Z":    "line 3",
		header + line + "f,cat,dog,sugested,2026-11":                 "line 3",
		header + line + "f,cat,dog,suggested,22.11.2026":             "line 3",
		header + line + "f,cat,dog,suggested,2026-11-22 10:00":       "line 3",
		header + line + "f,cat,dog,suggested,2026-11-22T10:00:00Z,x": "line 3",
		header + line + "f\"g,cat,dog":                               "line 3",
	} {
		f := At(t.TempDir())
		put(t, f.Path(DecisionsFile), text)
		if _, _, err := f.Decide(); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want bad data with %q", text, err, want)
		}
		expect.Same(t, text, string(read(t, f.Path(DecisionsFile))))
	}
}

const (
	header = "id,given,label,decision,time\n"
	line   = "e,cat,dog,suggested,2026-11-22T10:00:00Z\n"
)

// A file with the line ends of old Macs is read, and made one of usual lines after it was
// copied; what is cut off is kept there.
func TestRepair(t *testing.T) {
	whole := header + line + line
	mac := strings.ReplaceAll(whole, "\n", "\r")
	for name, tt := range map[string]struct{ text, after, told string }{
		"CR":             {mac, whole, "line ends of CR alone"},
		"CR without end": {strings.TrimSuffix(mac, "\r"), whole, "line ends of CR alone"},
		"CR, cut":        {mac + "f,ca", whole, `is cut off ("f,ca")`},
		"CRLF":           {strings.ReplaceAll(whole, "\n", "\r\n"), "", ""},
		"cut":            {whole + "f,cat,dog,sugg", whole, "is cut off"},
		"cut in time":    {whole + "f,cat,dog,suggested,2026-11", whole, "is cut off"},
		"cut in quotes":  {whole + "\"f, ", whole, "is cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			f := At(t.TempDir())
			path := f.Path(DecisionsFile)
			for round := range 2 { // each has a copy of its own
				put(t, path, tt.text)
				log, list, err := f.Decide()
				expect.OK(t, err)
				if len(list) != 2 || !strings.Contains(log.Repaired, tt.told) || (tt.told == "") != (log.Repaired == "") {
					t.Fatalf("%d decisions; told %q", len(list), log.Repaired)
				}
				expect.OK(t, log.Append(Decision{ID: "z", Given: "cat", Label: "", Action: Skip, Time: moment}), log.Close())
				if tt.after != "" {
					expect.Same(t, tt.text, string(read(t, fmt.Sprint(path, ".before-repair-", round+1))))
				}
				want := cmp.Or(tt.after, tt.text) + "z,cat,,skip,2026-11-22T10:00:00Z\n"
				expect.Same(t, want, string(read(t, path)))
			}
		})
	}
	f := At(t.TempDir())
	put(t, f.Path(DecisionsFile), mac)
	trusted, err := ReadTrusted(f.Path(DecisionsFile), own.Source{})
	if err != nil || len(trusted) != 1 || trusted["e"].Given != "cat" {
		t.Errorf("%d trusted labels, %v", len(trusted), err)
	}
}

// A decision is not lost in a file that is no longer that of the folder.
func TestReplacedDecisions(t *testing.T) {
	for name, change := range map[string]func(f *Folder) error{
		"replaced": func(f *Folder) error {
			text, err := os.ReadFile(f.Path(DecisionsFile))
			return errors.Join(err, os.WriteFile(f.Path("new"), text, 0o666), os.Rename(f.Path("new"), f.Path(DecisionsFile)))
		},
		"changed": func(f *Folder) error { return os.Truncate(f.Path(DecisionsFile), int64(len(header))) },
		"removed": func(f *Folder) error { return os.Remove(f.Path(DecisionsFile)) },
	} {
		f := At(filepath.Join(t.TempDir(), "a"))
		expect.OK(t, f.make())
		log, _, err := f.Decide()
		expect.OK(t, err)
		one := Decision{ID: "a", Given: "cat", Label: "dog", Action: Suggested, Time: moment}
		expect.OK(t, log.Append(one), change(f))
		for range 2 {
			if err := log.Append(one); err == nil || !strings.Contains(err.Error(), "by another program") ||
				!strings.Contains(err.Error(), "start it again") {
				t.Errorf("%s: %v, want an error that says so", name, err)
			}
		}
		expect.OK(t, log.Close())
	}
}
