package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

const module = "github.com/losscorr/losscorr"

// floors holds the folders of the project, lowest first. A package may import those of
// lower floors and those of its own folder. A star stands for each folder inside.
var floors = [][]string{
	{"internal/humanize", "internal/files", "internal/guard", "internal/download", "internal/wordpiece", "internal/rowcache"},
	{"", "data", "results/*", "internal/npy", "internal/rows", "internal/table", "internal/shell", "internal/tool", "internal/layers", "internal/datatest", "internal/scratchpython", "experiments", "training/metrics"},
	{"torch", "dataset"},
	{"models", "correction", "dataset/archive", "dataset/annotations", "dataset/datasettest"},
	{"correction/losses", "correction/estimators", "correction/annotators", "correction/checking", "correction/correctiontest", "dataset/picture", "models/encoders"},
	{"correction/judging", "dataset/published", "dataset/own", "pipeline/views"},
	{"training", "config", "dataset/check", "audit"},
	{"store", "internal/configtest"},
	{"pipeline", "grid", "report", "tools/bench", "tools/measured"},
	{"cluster", "audit/find", "audit/page", "selftest"},
	{"audit/review"},
	{"command"},
	{"cmd", "experiments/*", "tools/*", "torch/examples"},
}

// apart holds what a folder does not import though it stands on a lower floor: grid, report and cluster are given
// runs as functions and files, and the page and the review of an audit its files, so that none of them trains a
// network; T, its estimators and the judging of labels need no tensors.
var apart = map[string][]string{
	"correction":            {"torch"},
	"correction/estimators": {"torch", "models"},
	"correction/annotators": {"torch", "models"},
	"correction/checking":   {"torch", "models", "correction"},
	"correction/judging":    {"torch", "models", "correction/losses"},

	"audit/page":   {"training", "pipeline"},
	"audit/review": {"training", "pipeline"},

	"grid":    {"training"},
	"report":  {"training"},
	"cluster": {"training", "pipeline"},
}

// place is where a package stands: its folder among floors, and the floor.
func place(pkg string) (folder string, floor int) {
	floor = -1
	for i, folders := range floors {
		for _, f := range folders {
			if match(f, pkg) && len(f) >= len(folder) {
				folder, floor = f, i
			}
		}
	}
	if base, star := strings.CutSuffix(folder, "/*"); star {
		folder = base + "/" + strings.Split(strings.TrimPrefix(pkg, base+"/"), "/")[0]
	}
	return folder, floor
}

func match(folder, pkg string) bool {
	switch base, star := strings.CutSuffix(folder, "/*"); {
	case star:
		return strings.HasPrefix(pkg, base+"/")
	case folder == "" || folder == "experiments":
		return pkg == folder
	}
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

// imports returns what each package of the module imports of the module, tests left
// out. Names are relative to the module.
func imports() (map[string][]string, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	graph := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		var own []string
		for _, p := range strings.Fields(line) {
			if p == module || strings.HasPrefix(p, module+"/") {
				own = append(own, strings.TrimPrefix(strings.TrimPrefix(p, module), "/"))
			}
		}
		graph[own[0]] = own[1:]
	}
	return graph, nil
}

// problems lists the imports that do not point downwards, and the packages that are on
// no floor.
func problems(graph map[string][]string) []string {
	var bad []string
	for pkg, list := range graph {
		folder, floor := place(pkg)
		if floor < 0 {
			bad = append(bad, fmt.Sprintf("%s is on no floor: add its folder to internal/layers", pkg))
			continue
		}
		for _, other := range list {
			switch f, below := place(other); {
			case f != folder && below >= floor:
				bad = append(bad, fmt.Sprintf("%s imports %s, which is not below it", pkg, other))
			case slices.Contains(apart[folder], f):
				bad = append(bad, fmt.Sprintf("%s imports %s, from which it is kept apart", pkg, other))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// show prints the graph, the highest floor first.
func show(w io.Writer, graph map[string][]string) {
	for i := range slices.Backward(floors) {
		var pkgs []string
		for pkg := range graph {
			if _, floor := place(pkg); floor == i {
				pkgs = append(pkgs, pkg)
			}
		}
		slices.Sort(pkgs)
		for _, pkg := range pkgs {
			fmt.Fprintf(w, "%d  %-28s %s\n", i, path.Join(".", pkg), strings.Join(graph[pkg], " "))
		}
	}
}
