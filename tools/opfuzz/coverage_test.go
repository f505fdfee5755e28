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

// apart lists functions that make or change tensors but are not in the table of operations, with the reasons.
var apart = map[string]string{
	"requires_grad_": "the judge sets it",
	"gradients":      "the judge takes them",
	"grad":           "SetGrad reads it",
	"pin":            "needs a GPU",
	"upload":         "needs a GPU; on the CPU it is To",
	"lstm_flatten":   "does nothing on the CPU",
	"function_apply": "calls back into Go: function_test.go of package torch",
	"program_run":    "runs libtorch's operations by name, as a graph has them: tests of torch/export",
	"bench_add":      "for measuring",
	"to_sparse_csr":  "Linear compressed calls it: its result takes no part in differentiation, and few operations",
	"to_dense":       "the opposite of to_sparse_csr",
	"from_csr":       "makes a matrix of slices, that fit or not: sparse_test.go of package torch",
}

// Every function of cgo/api.h that makes or changes a tensor is called by an operation
// of the table with the name of its Go caller.
func TestTableIsComplete(t *testing.T) {
	var text string
	for _, file := range []string{"../../cgo/api.h", "../../cgo/ops.h"} {
		part, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, _, _ := strings.Cut(string(part), "#define LT_PROTOTYPE")
		text += list
	}
	makes := regexp.MustCompile(`(?m)^  X\((\w+), (\w+), \(([^)]*)\)`).FindAllStringSubmatch(text, -1)
	out := regexp.MustCompile(`^lt_(made|pair) |(^|[ ,(])lt_tensor \*`)
	callers := callers(t)
	inTable := map[string]bool{}
	for _, o := range table() {
		name, _, _ := strings.Cut(o.name, " ")
		inTable[name] = true
	}
	checked := 0
	for _, m := range makes {
		name := m[2]
		if !out.MatchString(m[1]+" "+m[3]) && !regexp.MustCompile(`(_|_step|fill|copy_from|_in_place)$`).MatchString(name) {
			continue
		}
		checked++
		found := slices.ContainsFunc(callers["lt_"+name], func(f string) bool { return inTable[f] })
		if reason := apart[name]; found && reason != "" {
			t.Errorf("%s is in the table, and in the list of what is not: %s", name, reason)
		} else if !found && reason == "" {
			t.Errorf("no operation of the table calls %s, as %v do", name, callers["lt_"+name])
		}
	}
	if checked < 85 {
		t.Errorf("found only %d functions that make tensors", checked)
	}
}

// callers returns the Go functions of package torch that call each C function; for a
// Step, the name of its receiver.
func callers(t *testing.T) map[string][]string {
	files, err := filepath.Glob("../../torch/*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.Name.Name
			if name == "Step" {
				name = f.Recv.List[0].Type.(*ast.Ident).Name
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "C" && strings.HasPrefix(s.Sel.Name, "lt_") {
						all[s.Sel.Name] = append(all[s.Sel.Name], name)
					}
				}
				return true
			})
		}
	}
	return all
}
