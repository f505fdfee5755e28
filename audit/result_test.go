package audit

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
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
	twice := []Duplicate{{Exact: true, A: Member{"0", "train", "a"}, B: Member{"2", "train", "a"}}}
	return Audit{Data: d, Probabilities: p, Networks: c, Note: func(string) {}, Sums: make([]uint64, 40), duplicates: twice}
}

// contents returns the files of a folder.
func contents(t *testing.T, f *Folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(f.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			files[e.Name()] = string(read(t, f.Path(e.Name())))
		}
	}
	return files
}

// A save that fails leaves the old result whole, or none that is called finished.
func TestFailedSave(t *testing.T) {
	f := At(filepath.Join(t.TempDir(), "audit"))
	a := ofProbabilities("/a")
	if _, err := f.Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteReport([]byte("the page")); err != nil {
		t.Fatal(err)
	}
	old := contents(t, f)
	if len(old) != len(Results)+2 { // source.json and the lock
		t.Fatalf("%d files", len(old))
	}
	found, err := f.find(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	found.estimation.T, err = correction.NewMatrix(a.Data.Classes, [][]float64{{.5, .5}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.save(a, found, &Summary{NoiseRate: math.NaN()}); err == nil { // the last file cannot be written
		t.Fatal("NaN is written")
	}
	if diff := cmp.Diff(old, contents(t, f)); diff != "" {
		t.Errorf("-old +now\n%s", diff)
	}

	if err := os.Remove(f.Path(LabelsFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(f.Path(LabelsFile, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.save(a, found, &Summary{}); err == nil {
		t.Fatal("a folder is replaced")
	}
	now := contents(t, f)
	for _, name := range []string{SummaryFile, ReportFile} {
		if _, there := now[name]; there {
			t.Errorf("%s describes files that are replaced", name)
		}
	}
	if now[TransitionFile] == old[TransitionFile] {
		t.Error("no file is replaced")
	}
	if _, err := os.Stat(f.Path(savingDir)); err == nil {
		t.Error("temporary files are left")
	}
	if err := os.RemoveAll(f.Path(LabelsFile)); err != nil {
		t.Fatal(err)
	}
	a.Sums = nil // such as of numbers: the hashes of the audit before are not theirs
	if _, err := f.Run(t.Context(), a); err != nil {
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
		s, err := At(filepath.Join(t.TempDir(), "audit")).Run(t.Context(), a)
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
