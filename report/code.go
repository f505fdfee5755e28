package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/store"
)

// Provenance says by what and where the runs of a cell were computed, each with blanks
// between several values; empty where it is not known.
type Provenance struct {
	Revision string `json:"revision,omitempty"` // store.Code's Mark
	CPU      string `json:"cpu,omitempty"`      // store.Environment.Processors, with a semicolon between two
	Libtorch string `json:"libtorch,omitempty"` // versions
}

func provenance(runs []*Run) Provenance {
	revisions, cpus, libtorch := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, r := range runs {
		for _, revision := range append(slices.Clone(r.Result.Earlier), r.Result.Code().Mark()) {
			revisions[revision] = true
		}
		cpus[r.Environment.Processors()] = true
		libtorch[r.Environment.Libtorch["version"]] = true
	}
	list := func(set map[string]bool, gap string) string {
		delete(set, "")
		return strings.Join(slices.Sorted(maps.Keys(set)), gap)
	}
	return Provenance{list(revisions, " "), list(cpus, "; "), list(libtorch, " ")}
}

// maxCells bounds how many cells OtherCode names.
const maxCells = 4

// made is the code that did a run: before holds the revisions that trained it until a stop,
// where other code resumed it.
type made struct {
	store.Code
	before string
}

func madeBy(r *store.Result) made {
	m := made{Code: r.Code()}
	for _, revision := range r.Earlier {
		m.before += cmp.Or(revision, store.Code{}.String()) + ", then "
	}
	return m
}

// String returns the revisions, the first one first.
func (m made) String() string { return m.before + m.Code.String() }

// OtherCode names the runs that were made by other code than this program's, in whole or
// until a stop, one line for each revision, or nothing where there are none. Code with
// uncommitted changes may be any. Where this program does not know its own revision, runs
// count as of other code if they are of several.
func (t *Table) OtherCode() []string { return t.otherCode(store.ThisCode()) }

func (t *Table) otherCode(mine store.Code) []string {
	cells := make(map[made][]string)
	counts := make(map[made]int)
	total, several := 0, false
	for j, column := range t.Columns {
		for i, row := range t.Rows {
			if t.Cells[i][j] == nil {
				continue
			}
			seeds := make(map[made][]uint64)
			for _, r := range t.Cells[i][j].Runs {
				total++
				code := madeBy(r.Result)
				several = several || code.before != ""
				if code.before != "" || !code.Same(mine) {
					seeds[code] = append(seeds[code], r.Result.Config.Seed)
					counts[code]++
				}
			}
			for code, list := range seeds {
				cells[code] = append(cells[code], fmt.Sprintf("%s at %s (seed %s)", row.Name, column, humanize.Ranges(list)))
			}
		}
	}
	if mine.Revision == "" && len(counts) < 2 && !several {
		return nil
	}
	var notes []string
	for _, code := range slices.SortedFunc(maps.Keys(counts), func(a, b made) int { return strings.Compare(a.String(), b.String()) }) {
		what := "all runs"
		if counts[code] < total {
			named := cells[code]
			if len(named) > maxCells {
				named = append(named[:maxCells:maxCells], fmt.Sprintf("and %d more cells", len(cells[code])-maxCells))
			}
			what = fmt.Sprintf("%d of %s: %s", counts[code], humanize.Runs(total), strings.Join(named, ", "))
		}
		notes = append(notes, fmt.Sprintf("other code, revision %s (this program: %s): %s; --resume changed runs them again", code, mine, what))
	}
	return notes
}
