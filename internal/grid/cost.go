package grid

import (
	"fmt"
	"io/fs"
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
	Time  time.Duration // for runs one after the other
	Bytes int64         // on disk
	Runs  int           // number of runs with a known cost
	// Unknown has one run of each kind that has not been measured.
	Unknown []config.Config
	Without int // number of runs of these kinds
}

// Estimate predicts the cost of runs from the results of runs of the same kind, in root and its sibling folders. Runs
// are of the same kind if they have the same number of epochs, config.Config.EpochKey and type of device.
func Estimate(root string, configs []config.Config) Cost {
	measured := measure(root)
	var cost Cost
	missing := map[string]bool{}
	for _, c := range configs {
		key := kind(c)
		m, known := measured[key]
		if !known {
			cost.Without++
			if !missing[key] {
				missing[key] = true
				cost.Unknown = append(cost.Unknown, c)
			}
			continue
		}
		cost.Runs++
		cost.Time += time.Duration(m.seconds / float64(m.runs) * float64(time.Second))
		cost.Bytes += m.bytes / int64(m.runs)
	}
	return cost
}

func kind(c config.Config) string {
	device, _, _ := strings.Cut(c.Device, ":")
	if device == "" {
		device = "cpu"
	}
	return fmt.Sprint(c.EpochKey(), c.Epochs, " ", device)
}

type measurement struct {
	runs    int
	seconds float64
	bytes   int64
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
			folder := store.At(dir, e.Name())
			result, err := folder.Result()
			if read == samples {
				break
			}
			if err != nil {
				continue
			}
			read++
			key := kind(result.Config)
			m := out[key]
			m.runs, m.seconds, m.bytes = m.runs+1, m.seconds+result.Seconds, m.bytes+size(folder.Dir())
			out[key] = m
		}
	}
	return out
}

// size returns a folder's bytes on disk, skipping what cannot be read.
func size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
