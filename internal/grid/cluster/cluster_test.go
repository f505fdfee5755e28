package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// Ranges come back as written; other text is refused.
func TestRanges(t *testing.T) {
	for _, list := range [][]int{nil, {5}, {0, 1}, {0, 2, 4}, {3, 4, 5, 9, 11, 12}} {
		if got, err := ParseRanges(humanize.Ranges(list)); err != nil || !slices.Equal(list, got) {
			t.Errorf("%v: %v, %v", list, got, err)
		}
	}
	for _, text := range []string{"x", "1-", "-1", "3-1", "1,,2", "0-99999999999"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// plan has two cross-entropy runs, four that estimate T from them, and an independent one.
func plan(t *testing.T) store.PlanFile {
	t.Helper()
	runs := configtest.Load(t, "dataset: mnist\nnoise: {kind: asymmetric, level: .6}\n"+
		"grid: {loss: [forward-estimated, backward-estimated], seed: [1, 2], include: [{loss: forward, seed: 3}]}\n")
	return store.Freeze(store.NewPlan(runs), "1")
}

// finish gives a run its result.
func finish(t *testing.T, root string, c config.Config) {
	t.Helper()
	f, err := store.Claim(root, c, &store.Watch{}, store.DefaultLeaseTime)
	expect.OK(t, err)
	defer f.Close()
	expect.OK(t, f.WriteResult(store.Result{Schema: 1, ID: c.ID(), Config: c, State: store.Done}))
}

// An implied run counts as left until the runs that need it are finished.
func TestLeft(t *testing.T) {
	p, root := plan(t), t.TempDir()
	expect.Same(t, []int{0, 1, 2, 3, 4, 5, 6}, Left(p, root), "before")
	var want []int
	for i, r := range p.Runs {
		if r.Needs == p.Runs[0].ID {
			finish(t, root, r.Config)
		} else if i > 0 {
			want = append(want, i)
		}
	}
	expect.Same(t, want, Left(p, root), "when the readers of the first are finished")
}

// Tasks with runs that others need come first, and each task appears once.
func TestPhases(t *testing.T) {
	p := plan(t)
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, test := range []struct {
		places []int
		pack   int
		want   Tasks
	}{
		{all, 1, Tasks{First: []int{0, 1}, Rest: []int{2, 3, 4, 5, 6}}},
		{all, 2, Tasks{First: []int{0}, Rest: []int{1, 2, 3}}},
		{all, 3, Tasks{First: []int{0}, Rest: []int{1, 2}}}, // the first task also holds a reader
		{all, 9, Tasks{First: []int{0}}},
		{[]int{0, 6}, 1, Tasks{Rest: []int{0, 6}}}, // without its readers, nothing waits for a cross-entropy run
	} {
		expect.Same(t, test.want, Phases(p, test.places, test.pack), "tasks")
	}
	var covered []int
	for task := range 3 {
		covered = append(covered, Places(task, 3, len(p.Runs))...)
	}
	expect.Same(t, all, covered, "places of tasks of 3")
}

// The record has what was submitted; a record that is damaged or cannot be written is an error.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	r, err := Load(dir)
	if err != nil || len(r.Jobs) != 0 {
		t.Fatalf("%v, %v of an empty folder", r, err)
	}
	for _, j := range []Job{
		{Cluster: "slurm", ID: "7", What: First, Tasks: "0-3", Pack: 1}, {Cluster: "kubernetes", ID: "losscorr-x", What: All},
	} {
		expect.OK(t, r.Add(dir, j))
	}
	again, err := Load(dir)
	expect.OK(t, err)
	expect.Same(t, r, again, "record")
	if got := again.Of("slurm"); len(got) != 1 || got[0].ID != "7" || got[0].Submitted == "" {
		t.Errorf("Slurm's jobs: %+v", got)
	}
	for text, want := range map[string]string{`{"schema": 1, "jo`: "is damaged", `{"schema": 2}`: "schema 2"} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, RecordName), []byte(text), 0o644))
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	err = r.Add(filepath.Join(dir, "gone"), Job{ID: "9"})
	if err == nil || !strings.Contains(err.Error(), "job 9 was submitted but cannot be recorded") {
		t.Errorf("a missing folder: %v", err)
	}
}
