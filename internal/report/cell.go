package report

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

// Cell summarises the test accuracy, in per cent, of runs that differ only in their seed.
type Cell struct {
	Config      config.Config // of one of the runs, without settings that its loss never reads
	DataVariant string        // copy of the data, if not the official one, such as "JPEG copy"
	OwnData     string        // hash of a user's own data; empty for other data

	Seeds    []uint64
	Runs     []*Run // the latest of each seed; empty for a cell read from a file
	Diverged int    // runs that ended early because the loss was not a number

	Selected Entry // at the epoch of the lowest validation loss
	Last     Entry // at the last epoch

	// EstimateError summarises the error of T-hat, the mean L1 distance of its rows from
	// T's. N is 0 if T is unknown or not estimated.
	EstimateError Sample

	Paper *Entry // nil if the paper has no such cell

	Date     string // of the latest run, YYYY-MM-DD
	Revision string // store.Code's Mark of each program that trained the runs, separated by spaces
	CPU      string // store.Environment.Processors, separated by semicolons
	Libtorch string // versions, separated by spaces
}

// Entry is a number of a table with its marks.
type Entry struct {
	Sample
	Marks
}

// Cells sorts finished runs into cells. If a run has several results, the latest counts.
func Cells(runs []*Run) []*Cell {
	groups := map[string][]*Run{}
	configs := map[string]config.Config{}
	var keys []string
	for k, c := range nameFiles(runs) {
		c = cellConfig(c)
		key := fmt.Sprintf("%s\n%s\n%#v", runs[k].Result.DataVariant, ownData(runs[k]), c)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key], configs[key] = append(groups[key], runs[k]), c
	}
	cells := make([]*Cell, len(keys))
	for k, key := range keys {
		cells[k] = newCell(configs[key], groups[key])
	}
	return cells
}

// cellConfig returns the settings shared by the runs of a cell.
func cellConfig(c config.Config) config.Config {
	c = c.Essential().Without(config.OfPlace, config.Shown)
	if c.Corrected != "" {
		c.Transition = "" // the loss does not use it
	}
	c.Seed = 0
	return c
}

// nameFiles returns the configurations of the runs with input files, such as T and trusted labels, named by content:
// the first path with that content, and eight digits of its SHA-256 if the file at that path changed between runs.
func nameFiles(runs []*Run) []config.Config {
	type file struct{ key, path, sum string }
	paths := map[file][]string{} // of a key and a sum
	sums := map[file][]string{}  // of a key and a path
	add := func(to map[file][]string, f file, text string) {
		if !slices.Contains(to[f], text) {
			to[f] = append(to[f], text)
		}
	}
	configs := make([]config.Config, len(runs))
	for k, r := range runs {
		configs[k] = r.Result.Config
		for key, path := range configs[k].Inputs() {
			if sum := r.Environment.Inputs[key]; path != "" && sum != "" {
				add(paths, file{key: key, sum: sum}, path)
				add(sums, file{key: key, path: path}, sum)
			}
		}
	}
	for k, r := range runs {
		inputs := configs[k].Inputs()
		for _, s := range config.Settings {
			path, sum := inputs[s.Key], r.Environment.Inputs[s.Key]
			if path == "" {
				continue
			}
			if same := paths[file{key: s.Key, sum: sum}]; sum != "" {
				path = slices.Min(same)
			}
			name := fromHere(path)
			if sum != "" && len(sums[file{key: s.Key, path: path}]) > 1 {
				name += fmt.Sprintf(" (%.8s)", sum)
			}
			s.Of(&configs[k]).SetString(name)
		}
	}
	return configs
}

// ownData returns eight hex digits of a hash of a user's own data, which may change between runs.
// It is empty for other data, whose copies DataVariant distinguishes, and for a run without an
// environment.
func ownData(r *Run) string {
	if !r.Result.Config.DataEntry().Own {
		return ""
	}
	sum := strings.Join(slices.Sorted(maps.Values(r.Environment.Data)), " ")
	if len(r.Environment.Data) > 1 {
		sum = fmt.Sprintf("%x", sha256.Sum256([]byte(sum)))
	}
	return sum[:min(8, len(sum))]
}

func newCell(c config.Config, runs []*Run) *Cell {
	latest := make(map[uint64]*Run)
	for _, r := range runs {
		if old, ok := latest[r.Result.Config.Seed]; !ok || r.Result.Finished > old.Result.Finished {
			latest[r.Result.Config.Seed] = r
		}
	}
	cell := &Cell{Config: c, DataVariant: runs[0].Result.DataVariant, OwnData: ownData(runs[0]), Paper: paperEntry(c),
		Seeds: slices.Sorted(maps.Keys(latest))}
	var selected, last, errors []float64
	var revisions, processors, libtorch []string
	for _, seed := range cell.Seeds {
		run := latest[seed]
		r := run.Result
		cell.Runs = append(cell.Runs, run)
		if !math.IsNaN(r.Selected.TestAccuracy) { // NaN if the data has no test set
			selected = append(selected, r.Selected.TestAccuracy)
			last = append(last, r.Last.TestAccuracy)
		}
		if r.State == store.Diverged {
			cell.Diverged++
		}
		if t := r.Transition; t != nil && t.Estimated != nil && c.LossEntry().T == losses.EstimatedT &&
			!math.IsNaN(float64(t.EstimateError)) {
			errors = append(errors, float64(t.EstimateError))
		}
		cell.Date = max(cell.Date, r.Finished[:min(len(r.Finished), len("2006-01-02"))])
		revisions = append(append(revisions, r.Earlier...), r.Mark())
		processors = append(processors, run.Environment.Processors())
		libtorch = append(libtorch, run.Environment.Libtorch["version"])
	}
	cell.Selected.Sample, cell.Last.Sample, cell.EstimateError = NewSample(selected), NewSample(last), NewSample(errors)
	cell.Revision, cell.CPU, cell.Libtorch = joined(revisions, " "), joined(processors, "; "), joined(libtorch, " ")
	return cell
}

// joined lists distinct texts, sorted.
func joined(texts []string, separator string) string {
	slices.Sort(texts)
	texts = slices.DeleteFunc(slices.Compact(texts), func(s string) bool { return s == "" })
	return strings.Join(texts, separator)
}

// paperEntry returns the paper's cell with these settings, or nil. The paper's corrections by a known T use the true
// T, not one from a file.
func paperEntry(c config.Config) *Entry {
	p, ok := paper.Lookup(c.Dataset, c.Model, c.Noise.Kind, c.Noise.Level, c.Loss)
	if !ok || c.LossEntry().T == losses.KnownT && !knowsTruth(c) {
		return nil
	}
	return &Entry{Sample{N: p.Runs, Mean: p.Accuracy, Std: p.Std}, Marks{Bold: p.Bold, Star: p.Star, Dagger: p.Dagger}}
}

// knowsTruth reports whether a run's loss is a correction by the T that made the noise.
func knowsTruth(c config.Config) bool { return c.LossEntry().T == losses.KnownT && c.Transition == "" }

// Difference returns ours minus the paper's at the selected epoch, which the paper's text and
// code report, and whether the paper has the cell.
func (c *Cell) Difference() (float64, bool) {
	if c.Paper == nil || c.Selected.N == 0 {
		return 0, false
	}
	return c.Selected.Mean - c.Paper.Mean, true
}

// candidate returns the facts that decide the cell's marks at one of the epochs.
func (c *Cell) candidate(s Sample) candidate {
	return candidate{Sample: s, oracle: knowsTruth(c.Config), estimated: c.Config.LossEntry().T == losses.EstimatedT}
}
