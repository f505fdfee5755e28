package torch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// notHere is what this package's tests leave to others: what needs a GPU, and
// the steps that package optim compares with PyTorch.
var notHere = map[string]bool{
	"Pin": true, "OpenCUDA": true, "DeviceName": true, "Capability": true, "DescribeCUDA": true, "DeviceMemory": true, "EmptyCache": true,
	"Step": true,
}

// Every operation, a method of Tensor that returns tensors or changes its own, is
// in the table of ops_test.go; every other exported function or method is called
// somewhere in this package's tests.
func TestEveryExportIsTested(t *testing.T) {
	inTable := map[string]bool{}
	for _, op := range allOps() {
		name, _, _ := strings.Cut(op.name, " ")
		inTable[name] = true
	}
	// Tested by themselves: draws, what autograd remembers, and another layout.
	apart := map[string]bool{"Dropout": true, "ReLUDropout": true, "BatchNormReLU": true, "Grad": true, "Pin": true, "ToSparseCSR": true, "SparseCSR": true, "ToDense": true}
	used := map[string]bool{}
	var exported []*ast.FuncDecl
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					used[s.Sel.Name] = true
				}
				return true
			})
			continue
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && (f.Recv == nil || ast.IsExported(receiver(f))) {
				exported = append(exported, f)
			}
		}
	}
	if len(exported) < 150 {
		t.Fatalf("found only %d exported functions", len(exported))
	}
	for _, f := range exported {
		name := f.Name.Name
		switch {
		case receiver(f) == "Tensor" && returnsTensors(f):
			if !inTable[name] && !apart[name] {
				t.Errorf("Tensor.%s is in no table of operations", name)
			}
		case !used[name] && !inTable[name] && !notHere[name]:
			t.Errorf("%s is called in no test", name)
		}
	}
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

func returnsTensors(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return strings.HasSuffix(f.Name.Name, "InPlace")
	}
	for _, r := range f.Type.Results.List {
		if id, ok := r.Type.(*ast.Ident); !ok || id.Name != "Tensor" {
			return false
		}
	}
	return true
}

// A Generator's stream is freed when nothing refers to the Generator any more,
// which can be in the middle of a call that has only the pointer inside: every
// function that hands it to C keeps the Generator alive until after its last call.
func TestStreamsAreKeptAlive(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name == "NewGenerator" || f.Name.Name == "streamOf" {
				continue
			}
			var lastUse, lastKeep token.Pos
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if n.Sel.Name == "g" {
						lastUse = n.Pos()
					}
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "streamOf" { // which returns g.g
						lastUse = n.Pos()
					}
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "KeepAlive" {
						lastKeep = n.Pos()
					}
				}
				return true
			})
			if lastUse == token.NoPos {
				continue
			}
			checked++
			if lastKeep < lastUse {
				t.Errorf("%s: %s uses a stream after its last KeepAlive", file, f.Name.Name)
			}
		}
	}
	if checked < 10 {
		t.Errorf("found only %d functions that use a stream", checked)
	}
}
