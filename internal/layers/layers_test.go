package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestImportsPointDownwards(t *testing.T) {
	graph, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(graph) {
		t.Error(p)
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ pkg, imports, want string }{
		{"store", "grid/progress", "store imports grid/progress, which is not below it"},
		{"report/html", "pipeline", "report/html imports pipeline, which is not below it"},
		{"grid/progress", "grid", ""},
		{"cluster/slurm", "pipeline", "cluster/slurm imports pipeline, from which it is kept apart"},
		{"experiments/mnist", "experiments", ""},
		{"experiments/mnist", "experiments/theory", "experiments/mnist imports experiments/theory, which is not below it"},
		{"attic", "torch", "attic is on no floor: add its folder to internal/layers"},
	} {
		got := strings.Join(problems(map[string][]string{tt.pkg: {tt.imports}}), "; ")
		if got != tt.want {
			t.Errorf("%s imports %s: %q, want %q", tt.pkg, tt.imports, got, tt.want)
		}
	}
}

// README's layout names every folder of the module that holds Go code, and no other.
func TestLayoutOfReadme(t *testing.T) {
	graph, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Layout\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "    "), "/ "); ok && strings.HasPrefix(line, "    ") && line[4] != ' ' {
			listed = append(listed, name)
			if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() {
				t.Errorf("README's layout names %s/, which is no folder", name)
			}
		}
	}
	for pkg := range graph {
		top, _, _ := strings.Cut(pkg, "/")
		if top != "" && !slices.Contains(listed, top) {
			t.Errorf("README's layout does not name %s/", top)
		}
	}
}

// Every file and every name of Go that docs/architecture.md mentions is there.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"optim": "torch/optim", "figure": "report/figure", "html": "report/html",
		"losses": "correction/losses", "estimators": "correction/estimators", "judging": "correction/judging", "annotators": "correction/annotators", "metrics": "training/metrics",
		"find": "audit/find", "relabel": "audit/relabel", "archive": "dataset/archive", "annotations": "dataset/annotations", "views": "pipeline/views", "encoders": "models/encoders", "picture": "dataset/picture", "published": "dataset/published", "own": "dataset/own", "check": "dataset/check"}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z0-9.]*)`").FindAllStringSubmatch(string(text), -1) {
		folder := m[1]
		if f, ok := folders[folder]; ok {
			folder = f
		}
		if name := m[2]; !seen[m[0]] {
			seen[m[0]] = true
			if !declares(t, filepath.Join(root, folder), name) {
				t.Errorf("docs/architecture.md names %s, which is not there", m[0])
			}
		}
	}
	for _, file := range regexp.MustCompile(`\b[a-z]+(/[a-z_0-9-]+)+\.(go|yaml|md)\b`).FindAllString(string(text), -1) {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("docs/architecture.md names %s: %v", file, err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d names found only", len(seen))
	}
}

// declares reports whether the package in a folder has the exported name, or the method
// or field Type.Member.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	of, member, isMember := strings.Cut(name, ".")
	found := false
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				found = found || d.Recv == nil && d.Name.Name == name || isMember && d.Recv != nil && d.Name.Name == member && receiver(d) == of
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						found = found || slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name })
					case *ast.TypeSpec:
						fields, isStruct := spec.Type.(*ast.StructType)
						found = found || spec.Name.Name == name || isMember && isStruct && spec.Name.Name == of && hasField(fields, member)
					}
				}
			}
		}
	}
	return found
}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	return id.Name
}

func hasField(s *ast.StructType, name string) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == name })
	})
}
