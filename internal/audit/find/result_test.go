package find

import (
	"encoding/csv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// ofProbabilities is an audit of 40 texts that needs no network.
func ofProbabilities(path string) work {
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
	c := config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"},
		Estimator: config.Estimator{Name: "vertices", Kappa: .3}}
	c.Source.Path = path
	twice := []audit.Duplicate{{Exact: true, A: audit.Member{ID: "0", Split: "train", Label: "a"},
		B: audit.Member{ID: "2", Split: "train", Label: "a"}}}
	return work{Data: d, Probabilities: p, Networks: c, Host: Host{Note: func(string) {}}, Sums: make([]uint64, 40),
		duplicates: twice}
}

// contents returns the files of a folder.
func contents(t *testing.T, f *audit.Folder) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, e := range expect.Got(os.ReadDir(f.Dir()))(t) {
		if !e.IsDir() {
			files[e.Name()] = string(expect.Got(os.ReadFile(f.Path(e.Name())))(t))
		}
	}
	return files
}

// A failed save leaves the old result whole, or no finished one.
func TestFailedSave(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	a := ofProbabilities("/a")
	for k, i := range expect.Got(a.run(t.Context(), f))(t).Issues {
		expect.Same(t, k+1, i.Rank)
	}
	expect.OK(t, f.WritePage(audit.ReportFile, []byte("the page")))
	old := contents(t, f)
	if len(old) != len(audit.Results)+1 { // source.json
		t.Fatalf("%d files", len(old))
	}
	found := expect.Got(a.find(t.Context(), f))(t)
	found.T = expect.Got(correction.NewMatrix(a.Data.Classes, [][]float64{{.5, .5}, {0, 1}}))(t)
	save := func(pi float64) error {
		r := a.report(found)
		r.Pi = pi
		return f.Save(r)
	}
	if save(math.NaN()) == nil { // the last file cannot be written
		t.Fatal("NaN is written")
	}
	expect.Same(t, old, contents(t, f))

	inTheWay := f.Path(audit.LabelsFile, "in the way")
	expect.OK(t, os.Remove(f.Path(audit.LabelsFile)), os.MkdirAll(inTheWay, 0o777))
	if save(.5) == nil {
		t.Fatal("a folder is replaced")
	}
	now := contents(t, f)
	if now[audit.SummaryFile]+now[audit.ReportFile] != "" || now[audit.TransitionFile] == old[audit.TransitionFile] {
		t.Error("the summary or the page describes files that are replaced, or no file is replaced")
	}
	if _, err := os.Stat(f.Path(".saving")); err == nil {
		t.Error("temporary files are left")
	}
	expect.OK(t, os.RemoveAll(f.Path(audit.LabelsFile)))
	a.Sums = nil // as for numbers: the earlier audit's hashes must go
	expect.Got(a.run(t.Context(), f))(t)
	expect.Same(t, nil, expect.Got(f.Sums())(t))
}

// The first warning of an audit is that its data changed while it ran.
func TestDataChangesDuringAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	for _, tt := range []struct{ now, want string }{
		{"a", ""}, {"b", "the data was changed during the audit: audit again"}, {"", "the data can no longer be read ("},
	} {
		datasettest.Put(t, path, "a")
		a := ofProbabilities(path)
		a.Fingerprint = expect.Got(a.Networks.Source.Fingerprint())(t)
		a.Note = func(string) { // while it runs
			expect.OK(t, os.Remove(path))
			if tt.now != "" {
				datasettest.Put(t, path, tt.now)
			}
		}
		s := expect.Got(a.run(t.Context(), audit.At(filepath.Join(t.TempDir(), "audit"))))(t)
		warnings := strings.Join(s.Warnings, "\n")
		if !strings.HasPrefix(warnings, tt.want) || tt.want == "" && a.changed() != nil {
			t.Errorf("%q: warnings %q", tt.now, warnings)
		}
	}
}

// Among the files that not every audit writes, an audit's are removed, and people's stay.
func TestReplaceSparesFilesOfPeople(t *testing.T) {
	f := audit.At(filepath.Join(t.TempDir(), "audit"))
	a := ofProbabilities("/a")
	expect.Got(a.run(t.Context(), f))(t)
	a.duplicates = nil
	datasettest.Put(t, f.Path(audit.AskFile), "task,label,probability,answers,worker,gain,gain_anyone\n")
	files := map[string]string{audit.DuplicatesFile: "id\nmine\n", audit.AnswersFile: "task,worker,label\na,b,c\n"}
	for name, text := range files {
		datasettest.Put(t, f.Path(name), text)
	}
	expect.Got(a.run(t.Context(), f))(t)
	now := contents(t, f)
	if _, there := now[audit.AskFile]; there {
		t.Error("ask.csv of an earlier audit is there")
	}
	for name, text := range files {
		if now[name] != text {
			t.Errorf("%s is %q", name, now[name])
		}
	}
}

// All unusable files and labels are listed, for images in memory and images read one by one, whether there are too
// many of them or they are left out.
func TestUnreadable(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "a/1.png", "a/2.png", "a/3.png", "b/4.png", "b/5.png", "b/6: x.png", "b/7.png",
		"b/=8.png")
	for _, k := range []int{0, 5, 7} {
		entries[k].Content = "x"
	}
	rows := "file_name,label\nc.png,a\n"
	for _, e := range entries[1:] {
		rows += e.Name + "," + e.Name[:1] + "\n"
	}
	root := datasettest.Album(t, append(entries, datasettest.Entry{Name: "metadata.csv", Content: rows})...)
	unknown := "image: unknown format: want JPEG, PNG, GIF, WebP, BMP or TIFF"
	want := map[string]string{
		"a/1.png": "no label in metadata.csv", "c.png": filepath.Join(root, "metadata.csv") +
			" lists it, but there is no such image",
		"b/6: x.png": unknown, "b/=8.png": unknown,
	}
	for _, memory := range []int{0, 1} {
		f := audit.At(filepath.Join(t.TempDir(), "audit"))
		a := work{Host: Host{Note: func(string) {}}, Networks: config.Config{Source: own.Source{Path: root}}}
		err := a.Read(t.Context(), f, dataset.Options{MaxBad: 3, InMemory: memory})
		expect.Says(t, err, "4 files or labels are missing, broken or without a match", "--max-bad 4",
			f.Path(audit.UnreadableFile))
		expect.Fails(t, err, "", dataset.ErrData)
		expect.Same(t, want, unreadable(t, f))
		expect.Says(t, a.Read(t.Context(), f, dataset.Options{MaxBad: 4, InMemory: memory}), "training examples are too few")
		done := ofProbabilities(root)
		done.unreadable = a.unreadable
		expect.Same(t, 4, expect.Got(done.run(t.Context(), f))(t).Unreadable)
		expect.Same(t, want, unreadable(t, f))
		done.unreadable = nil // they were repaired
		expect.Got(done.run(t.Context(), f))(t)
		expect.Fails(t, expect.Err(os.Stat(f.Path(audit.UnreadableFile))), "", fs.ErrNotExist, "a list of no files")
	}
}

// unreadable reads unreadable.csv: reasons by name.
func unreadable(t *testing.T, f *audit.Folder) map[string]string {
	t.Helper()
	why := map[string]string{}
	file := expect.Got(os.Open(f.Path(audit.UnreadableFile)))(t)
	defer file.Close()
	lines := expect.Got(csv.NewReader(file).ReadAll())(t)
	expect.Same(t, []string{"name", "reason"}, lines[0])
	for _, r := range lines[1:] {
		why[strings.TrimPrefix(r[0], "'")] = r[1]
	}
	return why
}
