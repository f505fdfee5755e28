package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/losscorr/losscorr"

var root = filepath.Join("..", "..")

// floors are the rooms of the project, lowest first. A package imports packages of its own floor and of lower ones.
var floors = [][]string{
	{
		"", "data", "results", "internal/download", "internal/expect", "internal/files", "internal/guard",
		"internal/humanize",
		"internal/layers",
		"correction/table", "internal/npy", "internal/rowcache", "internal/rows", "internal/shell", "internal/tool",
		"internal/wordpiece",
	},
	{"cgo", "torch"},
	{"correction", "models"},
	{"internal/dataset"},
	{"internal/config", "internal/encoders", "internal/store", "internal/run/train", "internal/similar", "internal/views"},
	{"internal/bench", "internal/grid", "internal/run", "internal/report", "internal/doctor"},
	{"internal/audit"},
	{
		"cmd", "experiments", "internal/command", "internal/configtest", "internal/correctiontest", "internal/datatest",
		"internal/scratchpython",
		"tools",
		"torch/examples",
	},
}

// apart lists what a package does not import though it may by its floor: T, its estimators and the judging of
// labels need no tensors; grids, reports and batch jobs are given runs as functions and files.
var apart = map[string][]string{
	"correction":            {"torch"},
	"correction/estimators": {"torch", "models"},
	"correction/annotators": {"torch", "models"},
	"correction/checking":   {"torch", "models"},
	"correction/judging":    {"torch", "models", "correction/losses"},
	"internal/audit/page":   {"internal/run/train", "internal/run"},
	"internal/audit/review": {"internal/run/train", "internal/run"},
	"internal/grid":         {"internal/run/train"},
	"internal/report":       {"internal/run/train"},
	"internal/grid/cluster": {"internal/run/train", "internal/run"},
}

// within reports whether a package is one of a room.
func within(pkg, room string) bool {
	return pkg == room || room != "" && strings.HasPrefix(pkg, room+"/")
}

// floorOf returns the floor of a package, given by the longest room that contains it, or -1.
func floorOf(pkg string) (floor int) {
	floor, longest := -1, -1
	for k, rooms := range floors {
		for _, room := range rooms {
			if within(pkg, room) && len(room) > longest {
				floor, longest = k, len(room)
			}
		}
	}
	return floor
}

func TestImportsPointDownwards(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for k, w := range words {
			words[k] = strings.TrimPrefix(strings.TrimPrefix(w, module), "/")
		}
		pkg := words[0]
		if floorOf(pkg) < 0 {
			t.Errorf("%s is on no floor", pkg)
		}
		for k, other := range words[1:] {
			if !strings.HasPrefix(strings.Fields(line)[k+1], module) {
				continue
			}
			if floorOf(other) > floorOf(pkg) {
				t.Errorf("%s imports %s, which is on a higher floor", pkg, other)
			}
			if slices.ContainsFunc(apart[pkg], func(room string) bool {
				return within(other, room) && other != "internal/run/train/metrics"
			}) {
				t.Errorf("%s imports %s, which it is kept apart from", pkg, other)
			}
		}
	}
}

// Public packages name no type that a Go user cannot import.
func TestPublicPackagesExportNoInternalType(t *testing.T) {
	checked := 0
	for _, room := range []string{"torch", "models", "correction", "experiments"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil || source.Name.Name == "main" {
				return err
			}
			checked++
			for _, name := range internalNames(source) {
				t.Errorf("%s exports a declaration with %s", file, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if checked < 100 {
		t.Errorf("only %d files", checked)
	}
}

// internalNames returns the names of internal packages' types in what a file exports.
func internalNames(source *ast.File) (found []string) {
	internal := map[string]bool{}
	for _, i := range source.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(p, module+"/internal/") {
			internal[path.Base(p)] = true
		}
	}
	look := func(node ast.Node) {
		if node == nil {
			return
		}
		ast.Inspect(node, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 &&
				!slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
				_, isFunc := node.(*ast.FuncType)
				return isFunc
			}
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
					found = append(found, x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
	for _, d := range source.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				look(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						look(s.Type)
					}
				case *ast.ValueSpec:
					if !slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						continue
					}
					if s.Type != nil {
						look(s.Type)
					} else if len(s.Values) == 1 {
						if c, ok := s.Values[0].(*ast.CompositeLit); ok {
							look(c.Type)
						}
					}
				}
			}
		}
	}
	return found
}

// budgets are the lines of Go code, without tests, blank lines, comments and generated files, that a room may
// have. To raise one, name in the commit what else was cut.
var budgets = map[string]int{
	".":           18,
	"audit":       8020,
	"bench":       617,
	"cgo":         459,
	"cmd":         6,
	"command":     4181,
	"config":      1999,
	"correction":  5151,
	"data":        3,
	"dataset":     8331,
	"doctor":      710,
	"experiments": 772,
	"grid":        1955,
	"helpers":     3411,
	"models":      704,
	"report":      3117,
	"results":     107,
	"run":         4077,
	"store":       1384,
	"tests":       339,
	"tools":       1056,
	"torch":       5110,
}

func TestBudgets(t *testing.T) {
	lines := map[string]int{}
	out, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	code := regexp.MustCompile(`(?m)^\s*[^\s/].*$|^\s*/[^/].*$`)
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			continue // deleted, and not committed yet
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			continue
		}
		lines[roomOf(name)] += len(code.FindAll(text, -1))
	}
	for room, n := range lines {
		most, ok := budgets[room]
		switch {
		case !ok:
			t.Errorf("%s has %d lines and no budget", room, n)
		case n > most:
			t.Errorf("%s has %d lines of code, its budget is %d", room, n, most)
		}
	}
}

// roomOf returns the room of a file, for its budget.
func roomOf(name string) string {
	parts := strings.Split(name, "/")
	switch {
	case len(parts) == 1:
		return "."
	case parts[0] != "internal":
		return parts[0]
	}
	room := parts[1]
	for joined, rooms := range map[string][]string{
		"run":   {"encoders", "views"},
		"tests": {"configtest", "correctiontest", "datatest", "expect", "scratchpython", "layers"},
	} {
		if slices.Contains(rooms, room) {
			return joined
		}
	}
	if slices.Contains([]string{"command", "audit", "grid", "report", "config", "store", "dataset", "bench", "run",
		"doctor"}, room) {
		return room
	}
	return "helpers"
}
