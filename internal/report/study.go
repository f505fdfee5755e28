package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/internal/files"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// Study holds the runs of one or more folders, finished or not.
type Study struct {
	Runs  []*Run   // in the order of their paths
	Kept  []*Block // blocks read from CSV files in folders without runs, such as results/
	Empty []string // given folders without finished runs, damaged runs or kept cells
}

// Run is a run and its folder.
type Run struct {
	store.FolderState
	Dir, ID     string
	Config      config.Config     // zero if it could not be read
	Environment store.Environment // zero if missing
	// Epochs returns the run's metrics, which it reads at the first call.
	Epochs func() ([]metrics.Epoch, error)
}

// States lists the states of runs, in the order of reports.
var States = []string{store.Done, store.Diverged, store.Failed, store.Stopped, store.Running, store.Silent,
	store.Killed}

// Finished returns the runs that have a result.
func (s *Study) Finished() []*Run {
	return slices.DeleteFunc(slices.Clone(s.Runs), func(r *Run) bool { return !r.Finished() })
}

// Blocks returns the blocks of the finished runs and the kept blocks.
func (s *Study) Blocks() []*Block {
	blocks := append(Blocks(Cells(s.Finished())), s.Kept...)
	sortBlocks(blocks)
	return blocks
}

// FromResults makes runs from results without folders. They have no metrics.
func FromResults(results ...store.Result) []*Run {
	runs := make([]*Run, len(results))
	for k, r := range results {
		none := func() ([]metrics.Epoch, error) { return nil, nil }
		runs[k] = &Run{FolderState: store.FolderState{State: r.State, Result: &r}, ID: r.ID, Config: r.Config, Epochs: none}
	}
	return runs
}

// Load reads the runs in and below the folders, each once, and the blocks kept in folders
// without runs. If some cannot be read, it returns the others together with an error that
// names the missing ones.
func Load(dirs ...string) (*Study, error) {
	study := &Study{}
	var problems []error
	given := make(map[string]bool)
	ended := make(map[string]bool) // whether the run in a folder is finished or damaged
	for _, dir := range dirs {
		if given[absolute(dir)] {
			continue
		}
		given[absolute(dir)] = true
		found, err := runFolders(dir)
		var kept []*Block
		if len(found) == 0 && err == nil {
			kept, err = keptBlocks(dir)
			study.Kept = append(study.Kept, kept...)
		}
		problems = append(problems, err)
		empty := err == nil && len(kept) == 0
		for _, folder := range found {
			key := absolute(folder)
			if _, known := ended[key]; !known {
				r, err := readRun(folder)
				if err == nil {
					study.Runs = append(study.Runs, r)
				}
				ended[key] = err != nil || r.Finished()
				problems = append(problems, err)
			}
			empty = empty && !ended[key]
		}
		if empty {
			study.Empty = append(study.Empty, dir)
		}
	}
	slices.SortFunc(study.Runs, func(a, b *Run) int { return cmp.Compare(a.Dir, b.Dir) })
	if err := errors.Join(problems...); err != nil {
		return study, fmt.Errorf("report: load runs: %w", err)
	}
	return study, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// keptBlocks reads the CSV files of cells in a folder.
func keptBlocks(dir string) ([]*Block, error) {
	var blocks []*Block
	var problems []error
	for _, path := range files.Glob(dir, "*.csv") {
		text, err := os.ReadFile(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		cells, err := ReadCells(bytes.NewReader(text))
		if err != nil && !errors.Is(err, ErrNoCells) {
			problems = append(problems, fmt.Errorf("%s: %w", path, err))
			continue
		}
		blocks = append(blocks, Blocks(cells)...)
	}
	return blocks, errors.Join(problems...)
}

// runFolders finds the folders with a result or a status.
func runFolders(dir string) (found []string, err error) {
	var problems []error
	root := dir
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		root = target // the walk does not follow a link
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, err)
		case d.IsDir() && d.Name() == store.CheckpointsDir && path != root:
			return fs.SkipDir
		case !d.IsDir() && (d.Name() == store.ResultFile || d.Name() == store.StatusFile):
			found = append(found, filepath.Dir(path))
		}
		return nil
	})
	return found, errors.Join(append(problems, err)...)
}

// readRun reads a run's folder. The environment, and the configuration of an
// unfinished run, may be missing; reports leave them out.
func readRun(dir string) (*Run, error) {
	folder := store.AtPath(dir)
	state, err := folder.State()
	if err != nil {
		return nil, fmt.Errorf("%w; repeat the run to replace it", err)
	}
	r := &Run{FolderState: state, Dir: dir, ID: filepath.Base(dir),
		Epochs: sync.OnceValues(folder.Epochs)}
	r.Environment, _ = folder.Environment()
	if r.Finished() {
		r.ID, r.Config = r.Result.ID, r.Result.Config
	} else if c, err := folder.Config(); err == nil {
		r.Config = c
	}
	return r, nil
}
