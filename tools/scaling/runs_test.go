package scaling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// `losscorr grid plan` without its command line: reads and expands the configuration, and
// writes and reads the plan.
func BenchmarkPlan(b *testing.B) {
	each(b, "runs", []int{10, 100, 1000, 10_000, 100_000}, func(b *testing.B, runs int) {
		dir := b.TempDir()
		file := gridFile(b, dir, runs)
		for b.Loop() {
			configs := expect.Got(config.Load(file))(b)
			expect.OK(b, expect.Err(store.Freeze(store.NewPlan(configs), losscorr.Version).Save(dir, true)))
			if read, err := store.LoadPlan(dir); err != nil || len(read.Runs) != runs {
				b.Fatalf("%d runs: %v", runs, err)
			}
		}
	})
}

// `losscorr report` without its command line on folders of finished runs: only reading them,
// and also writing text and CSV. Making 100,000 such folders takes minutes.
func BenchmarkReport(b *testing.B) {
	each(b, "runs", []int{10, 100, 1000, 10_000, 30_000}, func(b *testing.B, runs int) {
		dir := b.TempDir()
		configs, err := config.Load(gridFile(b, dir, runs))
		if err == nil {
			err = finish(filepath.Join(dir, "runs"), configs)
		}
		expect.OK(b, err)
		for _, write := range []bool{false, true} {
			b.Run(fmt.Sprintf("written=%v", write), func(b *testing.B) {
				for b.Loop() {
					study, err := report.Load(filepath.Join(dir, "runs"))
					if err == nil && write {
						err = tables(study)
					}
					expect.OK(b, err)
				}
			})
		}
	})
}

func tables(study *report.Study) error {
	all := study.Blocks()
	for _, b := range all {
		if err := b.Table().WriteText(io.Discard); err != nil {
			return err
		}
	}
	return report.CellsTable(all).WriteCSV(io.Discard)
}

// gridFile writes a configuration of a number of runs, a multiple of ten. Each seed has
// ten runs, including implied ones.
func gridFile(b *testing.B, dir string, runs int) string {
	seeds := make([]int, runs/10)
	for k := range seeds {
		seeds[k] = k + 1
	}
	list := expect.Got(json.Marshal(seeds))(b)
	text := fmt.Sprintf(`dataset: mnist
epochs: 1
grid:
  noise: [{kind: none}, {kind: symmetric, level: .2}]
  loss: [cross-entropy, forward, backward, forward-estimated, backward-estimated]
  seed: %s
`, list)
	file := filepath.Join(dir, "grid.yaml")
	expect.OK(b, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// finish writes the folders of runs as if they were done.
func finish(root string, configs []config.Config) error {
	rng := rand.New(rand.NewPCG(17, 1))
	environment, err := json.Marshal(store.NewEnvironment(losscorr.Version, nil))
	if err != nil {
		return err
	}
	for _, c := range configs {
		dir := filepath.Join(root, c.ID())
		epoch := metrics.Epoch{Epoch: 1, TestAccuracy: 90 + 5*rng.Float64(), ValLoss: .5}
		result, err := json.Marshal(store.Result{
			Schema: 1, ID: c.ID(), State: store.Done, Config: c, Selected: epoch, Last: epoch, Seconds: 1,
			Finished: "2017-07-21T00:00:00Z",
		})
		if err != nil {
			return err
		}
		err = errors.Join(os.MkdirAll(dir, 0o755),
			os.WriteFile(filepath.Join(dir, store.EnvironmentFile), environment, 0o644),
			os.WriteFile(filepath.Join(dir, store.ResultFile), result, 0o644))
		if err != nil {
			return err
		}
	}
	return nil
}
