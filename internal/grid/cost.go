package grid

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/store"
)

// Cost is the predicted cost of runs.
type Cost struct {
	Time    time.Duration // for runs one after the other
	Runs    int           // number of runs with a known cost
	Without int           // number of other runs
}

// Estimate predicts the cost of runs from the results of runs of the same kind, in root and its sibling folders. Runs
// are of the same kind if they have the same data, network, amount of training and type of device.
func Estimate(root string, configs []config.Config) Cost {
	measured := measure(root)
	var cost Cost
	for _, c := range configs {
		m, known := measured[kind(c)]
		if !known {
			cost.Without++
			continue
		}
		cost.Runs++
		cost.Time += time.Duration(m.seconds / float64(m.runs) * float64(time.Second))
	}
	return cost
}

func kind(c config.Config) string {
	device, _, _ := strings.Cut(cmp.Or(c.Device, "cpu"), ":")
	return fmt.Sprint(c.Dataset, c.Source, c.Model, c.Examples, c.Epochs, " ", c.StepsPerEpoch, " ", c.BatchSize, " ",
		c.Precision, device)
}

type measurement struct {
	runs    int
	seconds float64
}

// samples bounds how many results are read per folder. Folders are named by hashes, so the first ones are a fair
// sample.
const samples = 60

func measure(root string) map[string]measurement {
	folders := []string{root}
	if abs, err := filepath.Abs(root); err == nil {
		beside := files.Glob(filepath.Dir(abs), "*")
		folders = append(folders, slices.DeleteFunc(beside, func(dir string) bool { return dir == abs })...)
	}
	out := map[string]measurement{}
	for _, dir := range folders {
		entries, _ := os.ReadDir(dir) // none if it cannot be read
		read := 0
		for _, e := range entries {
			result, err := store.At(dir, e.Name()).Result()
			if read == samples {
				break
			}
			if err != nil {
				continue
			}
			read++
			key := kind(result.Config)
			m := out[key]
			m.runs, m.seconds = m.runs+1, m.seconds+result.Seconds
			out[key] = m
		}
	}
	return out
}
