package report

import (
	"maps"
	"slices"
	"strings"
)

// Provenance says by what and where the runs of a cell were computed, each with blanks
// between several values; empty where it is not known.
type Provenance struct {
	Revision string // store.Code's Mark
	CPU      string // store.Environment.Processors, with a semicolon between two
	Libtorch string // versions
}

func provenance(runs []*Run) Provenance {
	revisions, cpus, libtorch := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, r := range runs {
		for _, revision := range append(slices.Clone(r.Result.Earlier), r.Result.Mark()) {
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
