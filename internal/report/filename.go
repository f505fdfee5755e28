package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// fileNames name the files that configurations take, of T and of trusted labels, by their
// content: one content has one name, that of the first of its paths, and a path whose content
// has changed between runs has a name for each, with eight digits of its SHA-256.
type fileNames map[fileOf]string

// fileOf is a file as the environment of a run has it.
type fileOf struct{ key, path, sum string }

// nameFiles returns the names of the files of runs.
func nameFiles(runs []*Run) fileNames {
	sums := map[fileOf][]string{}  // of a key and a path
	paths := map[fileOf][]string{} // of a key and a sum
	for _, r := range runs {
		for _, f := range filesOf(r) {
			at, with := fileOf{key: f.key, path: f.path}, fileOf{key: f.key, sum: f.sum}
			if f.sum != "" && !slices.Contains(sums[at], f.sum) {
				sums[at] = append(sums[at], f.sum)
			}
			if f.sum != "" && !slices.Contains(paths[with], f.path) {
				paths[with] = append(paths[with], f.path)
			}
		}
	}
	names := fileNames{}
	for _, r := range runs {
		for _, f := range filesOf(r) {
			name := f.path
			if f.sum != "" {
				name = slices.Min(paths[fileOf{key: f.key, sum: f.sum}])
				if len(sums[fileOf{key: f.key, path: name}]) > 1 {
					name = fmt.Sprintf("%s (%.8s)", name, f.sum)
				}
			}
			names[f] = name
		}
	}
	return names
}

// filesOf lists the files of a run.
func filesOf(r *Run) []fileOf {
	paths, sums := r.Result.Config.Inputs(), r.Environment.Inputs
	var out []fileOf
	for _, key := range slices.Sorted(maps.Keys(paths)) {
		if paths[key] != "" {
			out = append(out, fileOf{key, paths[key], sums[key]})
		}
	}
	return out
}

// of returns the name of a run's file, path if it has none.
func (n fileNames) of(r *Run, key, path string) string {
	return cmp.Or(n[fileOf{key, path, r.Environment.Inputs[key]}], path)
}

// column returns that of a run.
func (n fileNames) column(r *Run) Column {
	c := ColumnOf(r.Result.Config)
	c.File = n.of(r, "noise.file", c.File)
	return c
}
