package scaling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
)

// perSeed is the number of runs of one seed in gridFile, those that it implies included.
const perSeed = 10

// gridFile writes a configuration of a number of runs, a multiple of perSeed.
func gridFile(dir string, runs int) (string, error) {
	seeds := make([]int, runs/perSeed)
	for k := range seeds {
		seeds[k] = k + 1
	}
	list, err := json.Marshal(seeds)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf(`dataset: mnist
epochs: 1
grid:
  noise: [{kind: none}, {kind: symmetric, level: .2}]
  loss: [cross-entropy, forward, backward, forward-estimated, backward-estimated]
  seed: %s
`, list)
	file := filepath.Join(dir, "grid.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", fmt.Errorf("write the grid: %w", err)
	}
	return file, nil
}

// planning measures `losscorr grid plan` without its command line: the configuration is
// read and expanded, the plan is written and read again.
func (r *run) planning() error {
	a := axes{"planning", "Plan of a grid", "runs", "seconds"}
	dir, remove, err := folder()
	if err != nil {
		return err
	}
	defer remove()
	return r.each(r.values([]int{10, 50}, []int{10, 100, 1000, 10_000, 100_000}), func(runs int) error {
		file, err := gridFile(dir, runs)
		if err != nil {
			return err
		}
		seconds, err := r.seconds(func() error { return plan(file, dir, runs) })
		if err == nil {
			r.add(a, "expand, write, read", 1, float64(runs), seconds)
		}
		return err
	})
}

func plan(file, dir string, runs int) error {
	configs, err := config.Load(file)
	if err != nil {
		return err
	}
	frozen := store.Freeze(store.NewPlan(configs), losscorr.Version, nil, nil)
	if _, err := frozen.Save(dir, true); err != nil {
		return err
	}
	read, err := store.LoadPlan(dir)
	if err == nil && len(read.Runs) != runs {
		err = fmt.Errorf("the plan has %d runs, not %d: gridFile and perSeed differ", len(read.Runs), runs)
	}
	return err
}

// reporting measures `losscorr report` without its command line on folders of finished
// runs: they are read, and written as text and as CSV. Making 100,000 such folders takes
// minutes, and so the range ends at 30,000.
func (r *run) reporting() error {
	a := axes{"reporting", "Report", "runs", "seconds"}
	dir, remove, err := folder()
	if err != nil {
		return err
	}
	defer remove()
	return r.each(r.values([]int{10, 50}, []int{10, 100, 1000, 10_000, 30_000}), func(runs int) error {
		file, err := gridFile(dir, runs)
		if err != nil {
			return err
		}
		configs, err := config.Load(file)
		if err != nil {
			return err
		}
		if err := finish(filepath.Join(dir, "runs"), configs); err != nil {
			return err
		}
		for _, part := range []struct {
			name string
			do   func(string) error
		}{{"read, table and CSV", tables}, {"read alone", load}} {
			seconds, err := r.seconds(func() error { return part.do(filepath.Join(dir, "runs")) })
			if err != nil {
				return err
			}
			r.add(a, part.name, 1, float64(runs), seconds)
		}
		return nil
	})
}

func load(dir string) error {
	_, err := report.Load(dir)
	return err
}

func tables(dir string) error {
	study, err := report.Load(dir)
	if err != nil {
		return err
	}
	all := study.Tables()
	for _, t := range all {
		if err := t.WriteText(io.Discard); err != nil {
			return err
		}
	}
	return report.WriteCSV(io.Discard, all, losscorr.Version)
}

// finish writes the folders of runs as if they were done, unless they are there.
func finish(root string, configs []config.Config) error {
	rng := rand.New(rand.NewPCG(17, 1))
	environment, err := json.Marshal(store.NewEnvironment(losscorr.Version, nil))
	if err != nil {
		return err
	}
	for _, c := range configs {
		dir := filepath.Join(root, c.ID())
		if _, err := os.Stat(dir); err == nil {
			continue
		}
		epoch := store.Epoch{Epoch: 1, TestAccuracy: 90 + 5*rng.Float64(), ValLoss: .5}
		result, err := json.Marshal(store.Result{
			Schema: 1, ID: c.ID(), State: store.Done, Config: c, Selected: epoch, Last: epoch, Seconds: 1, Finished: "2017-07-21T00:00:00Z",
		})
		if err != nil {
			return err
		}
		err = errors.Join(os.MkdirAll(dir, 0o755),
			os.WriteFile(filepath.Join(dir, store.EnvironmentFile), environment, 0o644),
			os.WriteFile(filepath.Join(dir, store.ResultFile), result, 0o644))
		if err != nil {
			return fmt.Errorf("write the folder of a run: %w", err)
		}
	}
	return nil
}
