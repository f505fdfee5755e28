package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

func TestRanges(t *testing.T) {
	for _, list := range [][]int{nil, {5}, {0, 1}, {0, 2, 4}, {3, 4, 5, 9, 11, 12}} {
		got, err := ParseRanges(humanize.Ranges(list))
		if diff := cmp.Diff(list, got); err != nil || diff != "" {
			t.Errorf("%v: %v (-want +got):\n%s", list, err, diff)
		}
	}
	for _, text := range []string{"x", "1-", "-1", "3-1", "1,,2", "0-99999999999"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// plan has two cross-entropy runs, four that read T off them, and one alone.
func plan(t *testing.T) store.PlanFile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "dataset: mnist\nnoise: {kind: asymmetric, level: .6}\n" +
		"grid: {loss: [forward-estimated, backward-estimated], seed: [1, 2], include: [{loss: forward, seed: 3}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	configs, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return store.Freeze(store.NewPlan(configs), "1", nil, nil)
}

func finish(t *testing.T, root string, c config.Config) {
	t.Helper()
	f, err := store.Claim(root, c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.WriteResult(store.Result{Schema: 1, ID: c.ID(), Config: c, State: store.Done, Selected: metrics.Epoch{Epoch: c.Epochs}, Last: metrics.Epoch{Epoch: c.Epochs}}); err != nil {
		t.Fatal(err)
	}
}

func TestLeft(t *testing.T) {
	p := plan(t)
	root := t.TempDir()
	if got := Left(p, root); len(got) != len(p.Runs) {
		t.Fatalf("%v are left of %d", got, len(p.Runs))
	}
	// The readers of the first cross-entropy run are finished: it was added for
	// them alone, and is needed no more.
	first := p.Runs[0].ID
	want := []int{}
	for i, r := range p.Runs {
		if r.Needs == first {
			finish(t, root, r.Config)
		} else if i > 0 {
			want = append(want, i)
		}
	}
	if diff := cmp.Diff(want, Left(p, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPhases(t *testing.T) {
	p := plan(t)
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for pack, want := range map[int]Tasks{
		1: {First: []int{0, 1}, Rest: []int{2, 3, 4, 5, 6}},
		2: {First: []int{0}, Rest: []int{1, 2, 3}},
		3: {First: []int{0}, Rest: []int{1, 2}}, // the first task holds a reader, too
		9: {First: []int{0}},
	} {
		if diff := cmp.Diff(want, Phases(p, all, pack)); diff != "" {
			t.Errorf("pack %d (-want +got):\n%s", pack, diff)
		}
	}
	// With its readers, nobody waits for a cross-entropy run that is left alone.
	if diff := cmp.Diff(Tasks{Rest: []int{0, 6}}, Phases(p, []int{0, 6}, 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var covered []int
	for task := range 3 {
		covered = append(covered, Places(task, 3, len(p.Runs))...)
	}
	if !slices.Equal(covered, all) {
		t.Errorf("tasks of 3 cover %v", covered)
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	r, err := Load(dir)
	if err != nil || len(r.Jobs) != 0 {
		t.Fatalf("%v, %v of an empty folder", r, err)
	}
	for _, j := range []Job{{Cluster: "slurm", ID: "7", What: First, Tasks: "0-3", Pack: 1}, {Cluster: "kubernetes", ID: "losscorr-x", What: All}} {
		if err := r.Add(dir, j); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Load(dir)
	if diff := cmp.Diff(r, again); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := again.Of("slurm"); len(got) != 1 || got[0].ID != "7" || got[0].Submitted == "" {
		t.Errorf("of Slurm: %+v", got)
	}
	for text, want := range map[string]string{`{"schema": 1, "jo`: "is damaged", `{"schema": 2}`: "schema 2"} {
		if err := os.WriteFile(filepath.Join(dir, RecordName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if err := r.Add(filepath.Join(dir, "gone"), Job{ID: "9"}); err == nil || !strings.Contains(err.Error(), "job 9 is submitted and cannot be recorded") {
		t.Errorf("a folder that is gone: %v", err)
	}
}
