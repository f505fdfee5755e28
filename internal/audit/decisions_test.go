package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

var moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func decide(t *testing.T, f *Folder, decisions ...Decision) []Decision {
	t.Helper()
	log, before, err := f.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range decisions {
		if err := log.Append(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return before
}

func TestDecisions(t *testing.T) {
	f := At(t.TempDir())
	if list, err := ReadDecisions(f.Path(DecisionsFile)); err != nil || len(list) > 0 {
		t.Errorf("without a file: %v, %v", list, err)
	}
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
	if diff := cmp.Diff(list[:4], decide(t, f, list[4:]...)); diff != "" {
		t.Error(diff)
	}
	got, err := ReadDecisions(f.Path(DecisionsFile))
	if diff := cmp.Diff(list, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	want := map[string]Decision{"a": list[6], "b": list[1], "two, \"x\"": list[2]}
	if diff := cmp.Diff(want, Outcomes(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	log, _, err := f.Decide()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Decision{{ID: "a", Given: "cat", Label: "dog", Action: Accept}, {ID: "a", Given: "cat", Label: "cat", Action: Other}, {ID: "a", Action: "keep"}, {ID: "a\nb", Action: Skip}, {ID: "a", Label: "cat", Action: Skip}} {
		if err := log.Append(d); err == nil {
			t.Errorf("%+v was written", d)
		}
	}
	if _, _, err := f.Decide(); err == nil || !strings.Contains(err.Error(), "another losscorr review") {
		t.Errorf("a second log: %v", err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}

// Wherever a write is cut off, the lines before it are read, and the next one is whole. A line
// that lacks its end only is whole.
func TestTornLine(t *testing.T) {
	f := At(t.TempDir())
	path := f.Path(DecisionsFile)
	first, last := Decision{ID: "a", Given: "cat", Label: "cat", Action: Accept, Time: moment}, Decision{ID: "two, \"x\"", Given: "cat", Label: "dog", Action: Suggested, Time: moment}
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
		got := decide(t, f, last)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("cut at %d: (-want +got):\n%s", end, diff)
		}
		if diff := cmp.Diff(append(want, last), decide(t, f)); diff != "" {
			t.Fatalf("after a cut at %d: (-want +got):\n%s", end, diff)
		}
	}
}

func TestDamagedDecisions(t *testing.T) {
	for text, want := range map[string]string{
		"id,label\n":                               "line 1: the header",
		header + "a,cat\nb,cat,cat,accept,x\n":     "line 2: 2 columns",
		header + "a,cat,cat,keep,x\n":              `unknown decision "keep"`,
		header + "a,cat,cat,accept,noon\n":         "noon",
		header + "a,cat,\"c\"at,accept,x\nb,c,d\n": "line 2",
		header + "a,cat,\"cat,accept,x\nb,c,d":     "line 3", // the quote opens over what follows
	} {
		f := At(t.TempDir())
		put(t, f.Path(DecisionsFile), text)
		if _, _, err := f.Decide(); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want bad data with %q", text, err, want)
		}
		if string(read(t, f.Path(DecisionsFile))) != text {
			t.Errorf("%q was changed", text)
		}
	}
}

const header = "id,given,label,decision,time\n"

// A file with the line ends of old Macs is read, and made one of usual lines after it was
// copied; a last line that a person wrote wrongly is an error, and what is cut off is kept.
func TestRepair(t *testing.T) {
	five := ""
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		five += id + ",cat,dog,suggested,2026-11-22T10:00:00Z\n"
	}
	mac := strings.ReplaceAll(header+five, "\n", "\r")
	for name, tt := range map[string]struct {
		text, after, told string
		decisions         int
	}{
		"CR":             {mac, header + five, "line ends of CR alone", 5},
		"CR without end": {strings.TrimSuffix(mac, "\r"), header + five, "line ends of CR alone", 5},
		"CR, cut":        {mac + "f,ca", header + five, `is cut off ("f,ca")`, 5},
		"CRLF":           {strings.ReplaceAll(header+five, "\n", "\r\n"), "", "", 5},
		"cut":            {header + five + "f,cat,dog,sugg", header + five, "is cut off", 5},
		"cut in time":    {header + five + "f,cat,dog,suggested,2026-11", header + five, "is cut off", 5},
		"cut in quotes":  {header + five + "\"f, ", header + five, "is cut off", 5},
	} {
		t.Run(name, func(t *testing.T) {
			f := At(t.TempDir())
			path := f.Path(DecisionsFile)
			for round := range 2 { // each has a copy of its own
				put(t, path, tt.text)
				log, list, err := f.Decide()
				if err != nil || len(list) != tt.decisions || !strings.Contains(log.Repaired, tt.told) || (tt.told == "") != (log.Repaired == "") {
					t.Fatalf("%d decisions, %v; told %q", len(list), err, log.Repaired)
				}
				if err := errors.Join(log.Append(Decision{ID: "z", Given: "cat", Label: "", Action: Skip, Time: moment}), log.Close()); err != nil {
					t.Fatal(err)
				}
				want := tt.after
				if want == "" {
					want = tt.text
				} else if got := string(read(t, path+".before-repair-"+string(rune('1'+round)))); got != tt.text {
					t.Errorf("the copy has %q", got)
				}
				if got := string(read(t, path)); got != want+"z,cat,,skip,2026-11-22T10:00:00Z\n" {
					t.Errorf("the file has %q", got)
				}
			}
		})
	}
	f := At(t.TempDir())
	put(t, f.Path(DecisionsFile), mac)
	trusted, err := ReadTrusted(f.Path(DecisionsFile), own.Source{})
	if err != nil || len(trusted) != 5 || trusted["e"].Given != "cat" {
		t.Errorf("%d trusted labels, %v", len(trusted), err)
	}
	for _, last := range []string{
		"f,cat,dog,sugested,2026-11-22T10:00:00Z", "f,cat,dog,sugested,2026-11", "f,cat,dog,suggested,22.11.2026", "f,cat,dog,suggested,2026-11-22 10:00",
		"f,cat,dog,suggested,2026-11-22T10:00:00Z,x", "f\"g,cat,dog",
	} {
		text := header + five + last
		put(t, f.Path(DecisionsFile), text)
		if _, _, err := f.Decide(); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), "line 7") {
			t.Errorf("%q: %v", last, err)
		}
		if string(read(t, f.Path(DecisionsFile))) != text {
			t.Errorf("%q was changed", last)
		}
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
		if err := f.make(); err != nil {
			t.Fatal(err)
		}
		log, _, err := f.Decide()
		if err != nil {
			t.Fatal(err)
		}
		one := Decision{ID: "a", Given: "cat", Label: "dog", Action: Suggested, Time: moment}
		if err := errors.Join(log.Append(one), change(f)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := log.Append(one); err == nil || !strings.Contains(err.Error(), "by another program") || !strings.Contains(err.Error(), "start it again") {
				t.Errorf("%s: %v, want an error that says so", name, err)
			}
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}
