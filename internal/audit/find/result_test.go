package find

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
)

// ofProbabilities is an audit of 40 texts that needs no network.
func ofProbabilities(path string) Audit {
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}}
	var p []float32
	for i := range 40 {
		d.Train.Labels = append(d.Train.Labels, i%2)
		v := .8 + .004*float32(i)
		if i%2 == 1 != (i%10 == 0) {
			v = 1 - v
		}
		p = append(p, v, 1-v)
	}
	c := config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"}, Estimator: config.Estimator{Name: "vertices", Kappa: .3}}
	c.Source.Path = path
	twice := []audit.Duplicate{{Exact: true, A: audit.Member{ID: "0", Split: "train", Label: "a"}, B: audit.Member{ID: "2", Split: "train", Label: "a"}}}
	return Audit{Data: d, Probabilities: p, Networks: c, Note: func(string) {}, Sums: make([]uint64, 40), duplicates: twice}
}

// contents returns the files of a folder.
func contents(t *testing.T, f *audit.Folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(f.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			data, err := os.ReadFile(f.Path(e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(data)
		}
	}
	return files
}

// A save that fails leaves the old result whole, or none that is called finished.
func TestFailedSave(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	a := ofProbabilities("/a")
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteReport([]byte("the page")); err != nil {
		t.Fatal(err)
	}
	old := contents(t, f)
	if len(old) != len(audit.Results)+2 { // source.json and the lock
		t.Fatalf("%d files", len(old))
	}
	found, err := a.find(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	found.t, err = correction.NewMatrix(a.Data.Classes, [][]float64{{.5, .5}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Replace(func(next *audit.Folder) error { return a.fill(next, found, &audit.Summary{Pi: math.NaN()}) }); err == nil { // the last file cannot be written
		t.Fatal("NaN is written")
	}
	if diff := cmp.Diff(old, contents(t, f)); diff != "" {
		t.Errorf("-old +now\n%s", diff)
	}

	if err := os.Remove(f.Path(audit.LabelsFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(f.Path(audit.LabelsFile, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Replace(func(next *audit.Folder) error { return a.fill(next, found, &audit.Summary{}) }); err == nil {
		t.Fatal("a folder is replaced")
	}
	now := contents(t, f)
	for _, name := range []string{audit.SummaryFile, audit.ReportFile} {
		if _, there := now[name]; there {
			t.Errorf("%s describes files that are replaced", name)
		}
	}
	if now[audit.TransitionFile] == old[audit.TransitionFile] {
		t.Error("no file is replaced")
	}
	if _, err := os.Stat(f.Path(".saving")); err == nil {
		t.Error("temporary files are left")
	}
	if err := os.RemoveAll(f.Path(audit.LabelsFile)); err != nil {
		t.Fatal(err)
	}
	a.Sums = nil // such as of numbers: the hashes of the audit before are not theirs
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if sums, err := f.Sums(); sums != nil || err != nil {
		t.Errorf("hashes %v, %v", sums, err)
	}
}

// An audit whose data changes while it works says so first.
func TestDataChangesDuringAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, tt := range []struct{ now, want string }{
		{"a", ""}, {"b", "the data was changed during the audit: "}, {"", "the data can no longer be read ("},
	} {
		if err := os.WriteFile(path, []byte("a"), 0o666); err != nil {
			t.Fatal(err)
		}
		a := ofProbabilities(path)
		var err error
		if a.Fingerprint, err = a.Networks.Source.Fingerprint(); err != nil {
			t.Fatal(err)
		}
		a.Note = func(string) { // while it works
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if tt.now != "" {
				if err := os.WriteFile(path, []byte(tt.now), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, err := a.Run(t.Context(), audit.At(filepath.Join(t.TempDir(), "audit")))
		if err != nil {
			t.Fatal(err)
		}
		first := ""
		if len(s.Warnings) > 0 {
			first = s.Warnings[0]
		}
		if got := len(first) >= len(tt.want) && first[:len(tt.want)] == tt.want; !got || tt.want == "" && a.changed() != nil {
			t.Errorf("%q: first warning %q", tt.now, first)
		}
	}
}

// Of the files that not every audit writes, those of an audit go, and those of people stay.
func TestReplaceSparesFilesOfPeople(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	a := ofProbabilities("/a")
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	twice := a.duplicates
	a.duplicates = nil
	const own = "task,label,probability,answers,worker,gain,gain_anyone\n"
	files := map[string]string{audit.AskFile: own, audit.DuplicatesFile: "id\nmine\n", audit.AnswersFile: "task,worker,label\na,b,c\n"}
	for name, text := range files {
		if err := os.WriteFile(f.Path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Run(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	delete(files, audit.AskFile)
	now := contents(t, f)
	if _, there := now[audit.AskFile]; there {
		t.Error("ask.csv of an earlier audit is there")
	}
	for name, text := range files {
		if now[name] != text {
			t.Errorf("%s is %q", name, now[name])
		}
	}
	a.duplicates = twice
	if _, err := a.Run(t.Context(), f); err == nil || !strings.Contains(err.Error(), "duplicates.csv, which no audit wrote") {
		t.Errorf("a file of a person would be replaced: %v", err)
	}
	if diff := cmp.Diff(now, contents(t, f)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}
