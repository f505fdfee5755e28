package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The generated files are up to date with the table.
func TestGenerated(t *testing.T) {
	texts := expect.Got(generate(operations))(t)
	for name, want := range texts {
		got := expect.Got(os.ReadFile(filepath.Join("..", filepath.FromSlash(name))))(t)
		expect.Same(t, want, string(got), name+": run go generate ./torch")
	}
}

// An operation appears in all four files, and a line that cannot be parsed is an error that names it.
func TestOperation(t *testing.T) {
	texts, err := generate([]operation{{"sort", "t.Sort(dim int, down bool) (values, indices)", "at::sort(t, dim, down)",
		"Sort sorts.", "tolerance: 1, in: s.square()"}})
	expect.OK(t, err)
	for name, want := range map[string]string{
		"cgo/ops.h":           "  X(lt_pair, sort, (lt_tensor t_, int64_t dim, int32_t down_), (t_, dim, down_))\n",
		"cgo/shim/ops.cpp":    "    const bool down = down_ != 0;\n    return at::sort(t, dim, down);\n  });\n}\n",
		"torch/ops.go":        "\treturn pair(\"sort\", C.lt_sort(t.h, C.int64_t(dim), flag(down)), t)\n",
		"tools/opfuzz/ops.go": "\t\tin := s.square()\n\t\tdim := s.place(in...)\n\t\tdown := s.chance(.5)\n",
	} {
		if !strings.Contains(texts[name], want) {
			t.Errorf("%s:\n%s\nwant in it:\n%s", name, texts[name], want)
		}
	}
	for line, want := range map[string]string{
		"t.Sort(dim int":       "t.Sort(dim int: not a call",
		"t.Sort(dim integer)":  `t.Sort(dim integer): unknown type of argument "integer"`,
		"t.Sort(dim, further)": `t.Sort(dim, further): unknown type of argument ""`,
	} {
		expect.Fails(t, expect.Err(generate([]operation{{call: line}})), want)
	}
}
