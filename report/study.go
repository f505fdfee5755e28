package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/store"
)

// Study is what lies in one or more folders of runs, finished or not.
type Study struct {
	Dirs    []string  // as they were named
	Records []*Record // in the order of their paths
	Kept    []*Table  // tables that lie as CSV in folders without runs, such as results/

	planned []string // ids of the runs that grids were planned with
}

// Record is a run's folder as it stands. It is not changed once it is read.
type Record struct {
	Dir         string
	ID          string
	Config      config.Config     // zero where it could not be read
	Result      *store.Result     // nil: not finished
	Status      store.Status      // zero where there is none
	Environment store.Environment // likewise
	Overrides   []string          // key=value of the command line
	Life        store.Life        // of a run under way

	stamps string
	epochs func() ([]store.Epoch, error)
}

// State is the run's state. One that is not finished has that of its status, and
// one that is said to be running may be killed or silent.
func (r *Record) State() string {
	switch {
	case r.Result != nil:
		return r.Result.State
	case r.underWay():
		return r.Life.State
	}
	return r.Status.State
}

// underWay reports whether the run is said to be running.
func (r *Record) underWay() bool { return r.Result == nil && r.Status.State == store.Running }

// Seconds is the wall time of all attempts.
func (r *Record) Seconds() float64 {
	if r.Result != nil {
		return r.Result.Seconds
	}
	return r.Status.Seconds
}

// Epochs returns the run's metrics; a run without any has none. They are read
// at the first call.
func (r *Record) Epochs() ([]store.Epoch, error) { return r.epochs() }

// Results returns the results of the finished runs.
func (s *Study) Results() []store.Result {
	var results []store.Result
	for _, r := range s.Records {
		if r.Result != nil {
			results = append(results, *r.Result)
		}
	}
	return results
}

// Tables are those of the finished runs and the kept ones.
func (s *Study) Tables() []*Table {
	tables := append(Tables(s.Results()), s.Kept...)
	sortTables(tables)
	return tables
}

// Add takes over the records of another study that are not there already, and its
// kept tables.
func (s *Study) Add(other *Study) {
	s.Kept = append(s.Kept, other.Kept...)
	for _, r := range other.Records {
		if !slices.ContainsFunc(s.Records, func(known *Record) bool { return known.Dir == r.Dir }) {
			s.Records = append(s.Records, r)
		}
	}
}

// Scanner reads folders of runs. Scanning again, it reads only the files that
// have changed since. It is not safe for concurrent use.
type Scanner struct {
	known map[string]*Record // by folder
	plans map[string]plan    // by file
}

// plan is what is known of a grid's plan.json.
type plan struct {
	stamp string
	ids   []string
}

// Scan reads the runs in the folders and below. What cannot be read is left out
// and named in the error, beside which the other runs are returned.
func (s *Scanner) Scan(dirs ...string) (*Study, error) {
	var problems []error
	var folders, plans []string
	var kept []*Table
	for _, dir := range dirs {
		found, planned, err := runFolders(dir)
		if len(found) == 0 && err == nil {
			var tables []*Table
			tables, err = keptTables(dir)
			kept = append(kept, tables...)
		}
		folders, plans = append(folders, found...), append(plans, planned...)
		problems = append(problems, err)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)

	records := make([]*Record, len(folders))
	failures := make([]error, len(folders))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for k := range next {
				records[k], failures[k] = readRecord(folders[k], s.known[folders[k]])
			}
		})
	}
	for k := range folders {
		next <- k
	}
	close(next)
	workers.Wait()

	study := &Study{Dirs: dirs, Kept: kept}
	s.known = make(map[string]*Record, len(folders))
	for k, r := range records {
		if r != nil {
			s.known[folders[k]] = r
			study.Records = append(study.Records, r)
		}
		problems = append(problems, failures[k])
	}
	study.planned = s.readPlans(plans)
	if err := errors.Join(problems...); err != nil {
		return study, fmt.Errorf("report: load runs: %w", err)
	}
	return study, nil
}

// keptTables reads the CSV files of a folder that are tables of ours.
func keptTables(dir string) ([]*Table, error) {
	var tables []*Table
	var problems []error
	for _, path := range files.Glob(dir, "*.csv") {
		file, err := os.Open(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		read, err := ReadCSV(file)
		_ = file.Close()
		if err != nil && !errors.Is(err, ErrNoTable) {
			problems = append(problems, fmt.Errorf("%s: %w", path, err))
			continue
		}
		tables = append(tables, read...)
	}
	return tables, errors.Join(problems...)
}

// readPlans returns the ids of all runs planned. A file that is no plan is passed
// over: the commands for grids complain of it.
func (s *Scanner) readPlans(paths []string) []string {
	plans := make(map[string]plan, len(paths))
	var ids []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		p := plan{stamp: fmt.Sprint(info.Size(), info.ModTime().UnixNano())}
		if known := s.plans[path]; known.stamp == p.stamp {
			p = known
		} else {
			var file struct {
				Runs []struct {
					ID string `json:"id"`
				} `json:"runs"`
			}
			_ = readJSON(path, &file)
			for _, r := range file.Runs {
				p.ids = append(p.ids, r.ID)
			}
		}
		plans[path] = p
		ids = append(ids, p.ids...)
	}
	s.plans = plans
	return ids
}

// runFolders finds the folders that hold a result or a status, and the plans of
// grids.
func runFolders(dir string) (found, plans []string, err error) {
	var problems []error
	root := dir
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		root = target // the walk does not follow a link
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != root && errors.Is(err, fs.ErrNotExist): // gone in the meantime
		case err != nil:
			problems = append(problems, err)
		case d.IsDir() && d.Name() == store.CheckpointsDir && path != root:
			return fs.SkipDir
		case !d.IsDir() && (d.Name() == store.ResultFile || d.Name() == store.StatusFile):
			found = append(found, filepath.Dir(path))
		case !d.IsDir() && d.Name() == store.PlanName:
			plans = append(plans, path)
		}
		return nil
	})
	return found, plans, errors.Join(append(problems, err)...)
}

// readRecord reads a run's folder, or returns what is known of it where its
// files are the same.
func readRecord(dir string, known *Record) (*Record, error) {
	r := &Record{Dir: dir, ID: filepath.Base(dir)}
	// A finished run's result is its last word, so that one look suffices.
	if err := r.stamp(store.ResultFile); err != nil {
		if err := r.stamp(store.StatusFile, store.MetricsFile, store.ConfigFile); err != nil {
			return nil, nil // removed while we looked
		}
	}
	if known != nil && known.stamps == r.stamps {
		if known.underWay() {
			again := *known
			again.Life = store.LifeOf(dir)
			return &again, nil
		}
		return known, nil
	}
	r.epochs = sync.OnceValues(func() ([]store.Epoch, error) {
		epochs, err := ReadMetrics(filepath.Join(dir, store.MetricsFile))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return epochs, err
	})
	// Status, environment and overrides are asides: one that is missing or
	// damaged leaves its part of a report empty.
	_ = readJSON(filepath.Join(dir, store.StatusFile), &r.Status)
	_ = readJSON(filepath.Join(dir, store.EnvironmentFile), &r.Environment)
	if text, err := os.ReadFile(filepath.Join(dir, store.OverridesFile)); err == nil {
		r.Overrides = strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' })
	}
	result, err := readResult(filepath.Join(dir, store.ResultFile))
	switch {
	case err == nil:
		r.Result, r.ID, r.Config = &result, result.ID, result.Config
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		if r.underWay() {
			r.Life = store.LifeOf(dir)
		}
		if runs, err := config.Load(filepath.Join(dir, store.ConfigFile)); err == nil && len(runs) == 1 {
			r.Config = runs[0]
		}
	}
	return r, nil
}

// stamp takes down size and time of files; the first has to be there.
func (r *Record) stamp(names ...string) error {
	for k, name := range names {
		info, err := os.Stat(filepath.Join(r.Dir, name))
		if err != nil {
			if k == 0 {
				return err
			}
			continue
		}
		r.stamps += fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return nil
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
