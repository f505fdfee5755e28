package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// Files are replaced, never written in place: a process that has the old file open still reads all of it.
func TestFilesAreReplaced(t *testing.T) {
	c := configtest.Load(t, "dataset: mnist\n")[0]
	root := t.TempDir()
	f := create(t, root, c)
	epochs := []metrics.Epoch{{Epoch: 1}, {Epoch: 2}, {Epoch: 3}}
	plan := func(seed uint64) PlanFile {
		other := c
		other.Seed = seed
		return Freeze(NewPlan([]config.Config{other}), "1")
	}
	for name, write := range map[string]func(n int) error{
		StatusFile: func(n int) error { return f.SetStatus(Status{Epoch: n}) },
		ResultFile: func(n int) error {
			return f.WriteResult(Result{
				Schema: 1, ID: f.ID, State: Done, Config: c, Selected: metrics.Epoch{Epoch: 1},
				Last: metrics.Epoch{Epoch: c.Epochs}, Warnings: []string{string(rune('a' + n))},
			})
		},
		EnvironmentFile: func(n int) error { return f.SetEnvironment(Environment{Program: string(rune('a' + n))}) },
		ConfigFile:      func(n int) error { return f.Write(ConfigFile, []byte{byte('a' + n)}) },
		PlanName:        func(n int) error { _, err := plan(uint64(n)).Save(f.Dir(), true); return err },
		MetricsFile:     func(n int) error { return f.ReviseEpochs(epochs[:3-n]) },
	} {
		if name == MetricsFile {
			for _, e := range epochs {
				expect.OK(t, f.AppendEpoch(e))
			}
		}
		expect.OK(t, write(1))
		path, old := f.Path(name), filepath.Join(root, "old")
		_ = os.Remove(old) // from the previous file
		expect.OK(t, os.Link(path, old))
		before := string(expect.Got(os.ReadFile(path))(t))
		expect.OK(t, write(2))
		expect.Same(t, before, string(expect.Got(os.ReadFile(old))(t)), "the old "+name)
		if string(expect.Got(os.ReadFile(path))(t)) == before {
			t.Errorf("%s: the new content is missing", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(f.Dir(), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}
