// Command cgo writes the files generated from the table of operations in ops.go:
//
//	go generate ./torch
package main

import (
	"context"
	"fmt"
	"go/format"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/tool"
)

func main() { os.Exit(tool.Main("cgo", os.Stdout, run)) }

func run(context.Context, []string, io.Writer) error {
	texts, err := generate(operations)
	if err != nil {
		return err
	}
	for name, text := range texts {
		if err := files.Write(filepath.Join("..", filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kind is a type of arguments. In its strings, $ stands for the argument's name.
type kind struct {
	C      string // parameters in C
	Pass   string // the same as arguments
	CPP    string // the C++ statement that defines the value
	Go     string // the type in Go
	Before string // a statement that ToC needs
	ToC    string // the value for C
	Draw   string // how the fuzzer draws it; empty for operands
	Is     string // the operands that it stands for, as Go arguments
}

func list(of, toC, draw string) kind {
	return kind{C: "const int64_t* $_, int32_t n_$", Pass: "$_, n_$", CPP: "const at::IntArrayRef $ = ints($_, n_$);",
		Go: of, Before: "p, n := " + toC + "($)", ToC: "p, n", Draw: draw}
}

func number(c, cpp, goType, toC, draw string) kind {
	if cpp == "" {
		return kind{C: c + " $", Pass: "$", Go: goType, ToC: toC, Draw: draw}
	}
	return kind{C: c + " $_", Pass: "$_", CPP: "const " + cpp + ";", Go: goType, ToC: toC, Draw: draw}
}

func operand(cpp, of string) kind {
	return kind{C: "lt_tensor $_", Pass: "$_", CPP: "const " + cpp + "($_);", Go: of, ToC: "$.h", Is: "$"}
}

var kinds = map[string]kind{
	"receiver": operand("at::Tensor& $ = get", ""),
	"Tensor":   operand("at::Tensor& $ = get", "Tensor"),
	"Tensor?":  operand("std::optional<at::Tensor> $ = opt", "Tensor"),
	"Tensors": {C: "const lt_tensor* $_, int32_t n_$", Pass: "$_, n_$",
		CPP: "const std::vector<at::Tensor> $ = list($_, n_$);", Go: "...Tensor",
		Before: "p, n := handles($)", ToC: "p, n", Is: "$..."},
	"sizes":   list("...int", "ints", "s.sizes(in...)"),
	"axes":    list("...int", "ints", "s.axes(in[0])"),
	"int":     number("int64_t", "", "int", "C.int64_t($)", "s.place(in...)"),
	"bool":    number("int32_t", "bool $ = $_ != 0", "bool", "flag($)", "s.chance(.5)"),
	"float64": number("double", "", "float64", "C.double($)", "s.real()"),
	"norm":    number("double", "", "float64", "C.double($)", "pick(s, 1, 2, math.Inf(1))"),
	"scalar":  number("double", "at::Scalar $ = scalar_for(t, $_)", "float64", "C.double($)", "s.real()"),
	"bound":   number("double", "std::optional<at::Scalar> $ = bound_for(t, $_)", "float64", "C.double($)", "s.real()"),
	"Options": number("lt_options", "at::TensorOptions $ = options_of($_)", "Options", "$.c()", "s.options()"),
}

type argument struct {
	Name string
	kind
}

// function is an operation with its call parsed, as the templates need it.
type function struct {
	Op, Name, Symbol, Body, Doc string
	Method                      bool
	Args                        []argument
	Options                     bool   // it has no tensor argument, so libtorch may not be open yet
	Pair                        string // names of two results
	ByHand                      bool   // the fuzzer's case is written by hand
	Fuzz, In                    string // the fields of the fuzzer's call, and its operands
}

var call = regexp.MustCompile(`^(t\.)?(\w+)\((.*?)\)(?: \((\w+, \w+)\))?$`)

func parse(o operation) (function, error) {
	m := call.FindStringSubmatch(o.call)
	if m == nil {
		return function{}, fmt.Errorf("%s: not a call", o.call)
	}
	f := function{Op: o.name, Name: m[2], Method: m[1] != "", Pair: m[4], Body: o.body, Doc: strings.TrimSpace(o.doc)}
	f.Symbol = strings.ToLower(regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(m[2], "${1}_$2"))
	texts := strings.Split(m[3], ", ")
	if m[3] == "" {
		texts = nil
	}
	if f.Method {
		texts = append([]string{"t receiver"}, texts...)
	}
	f.Args = make([]argument, len(texts))
	of := ""
	for i, text := range slices.Backward(texts) { // in a, b int both have the type of the last
		name, named, typed := strings.Cut(text, " ")
		if typed {
			of = named
		}
		k, ok := kinds[of]
		if !ok {
			return function{}, fmt.Errorf("%s: unknown type of argument %q", o.call, of)
		}
		f.Args[i] = argument{name, k}
	}
	f.Options = strings.Contains(o.call, " Options")
	f.operands(o.fuzz)
	return f, nil
}

// operands sets what the fuzzer draws: operands of any shapes that fit a pointwise operation, or the given ones.
func (f *function) operands(fuzz string) {
	fields, in, named := strings.Cut(fuzz, "in: ")
	f.ByHand, f.Fuzz, f.In = fuzz == byHand, strings.TrimSuffix(fields, ", "), in
	if all := f.Each("Is", ","); !named && all == "" {
		f.In = "[]tensor(nil)"
	} else if !named {
		f.In = fmt.Sprintf("s.operands(%d)", strings.Count(all, ",")+1)
	}
}

// Each expands a text for each argument that has it, and joins the results.
func (f function) Each(text, separator string) string {
	var all []string
	for _, a := range f.Args {
		t := map[string]string{"C": a.C, "Pass": a.Pass, "CPP": a.CPP, "Before": a.Before, "ToC": a.ToC, "Is": a.Is}[text]
		if t != "" {
			all = append(all, strings.ReplaceAll(t, "$", a.Name))
		}
	}
	return strings.Join(all, separator)
}

// InPlace reports whether the operation changes its first operand and returns nothing.
func (f function) InPlace() bool { return strings.HasSuffix(f.Op, "_") }

// Params returns the Go parameters after the receiver. A list that is not the last is a slice.
func (f function) Params() string {
	var all []string
	for i, a := range f.Args {
		if last := i == len(f.Args)-1; a.Go != "" && !last && f.Args[i+1].Go == a.Go {
			all = append(all, a.Name)
		} else if a.Go != "" && !last {
			all = append(all, a.Name+" "+strings.Replace(a.Go, "...", "[]", 1))
		} else if a.Go != "" {
			all = append(all, a.Name+" "+a.Go)
		}
	}
	return strings.Join(all, ", ")
}

// Drawn returns the arguments, except operands, that the fuzzer draws.
func (f function) Drawn() (drawn []argument) {
	for _, a := range f.Args {
		if a.Draw != "" {
			drawn = append(drawn, a)
		}
	}
	return drawn
}

// Fuzzed returns the call with operands x and the drawn arguments.
func (f function) Fuzzed() string {
	on, at, values := "torch.", 0, []string(nil)
	for i, a := range f.Args {
		switch {
		case a.Go == "":
			on, at = "x[0].", 1
		case strings.HasSuffix(a.Is, "..."):
			values = append(values, fmt.Sprintf("x[%d:]...", at))
		case a.Is != "":
			values = append(values, fmt.Sprintf("x[%d]", at))
			at++
		case strings.HasPrefix(a.Go, "...") && i == len(f.Args)-1:
			values = append(values, a.Name+"...")
		default:
			values = append(values, a.Name)
		}
	}
	return on + f.Name + "(" + strings.Join(values, ", ") + ")"
}

const written = "// Code generated from cgo/ops.go. DO NOT EDIT.\n\n"

// texts has the template of each file; all get the functions.
var texts = map[string]string{
	"cgo/ops.h": `#define LT_OPERATIONS(X)
{{- range .}} \
  X({{template "result" .}}, {{.Symbol}}, ({{.Each "C" ", "}}), ({{.Each "Pass" ", "}}))
{{- end}}
`,
	"cgo/shim/ops.cpp": `{{range headers .}}#include <ATen/ops/{{.}}.h>
{{end}}
#include "operands.h"

using namespace lt;
{{range .}}
{{template "result" .}} lt_{{.Symbol}}({{.Each "C" ", "}}) {
  return {{if .InPlace}}guard{{else if .Pair}}pair{{else}}made{{end}}([&] {
    {{with .Each "CPP" "\n    "}}{{.}}
    {{end}}{{if not .InPlace}}return {{end}}{{.Body}};
  });
}
{{end}}`,
	"torch/ops.go": `package torch

// #include "loader.h"
import "C"
{{range .}}
{{comment .Doc}}
func {{if .Method}}(t Tensor) {{end}}{{.Name}}({{.Params}})
{{- if .Pair}} ({{.Pair}} Tensor){{else if not .InPlace}} Tensor{{end}} {
	{{if .Options}}mustOpen("{{.Op}}")
	{{end}}{{with .Each "Before" "\n"}}{{.}}
	{{end}}{{if .InPlace}}check{{else if .Pair}}return pair{{else}}return made{{end -}}
	("{{.Op}}", C.lt_{{.Symbol}}({{.Each "ToC" ", "}}){{with .Each "Is" ", "}}, {{.}}{{end}})
}
{{end}}`,
	"tools/opfuzz/ops.go": `package main

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/torch"
)

// plain lists the operations of cgo/ops.go.
var plain = []operation{
{{range .}}{{if not .ByHand}}	{"{{.Name}}", func(s *source) call {
		in := {{.In}}
		{{range .Drawn}}{{.Name}} := {{.Draw}}
		{{end}}return call{in: in, {{with .Fuzz}}{{.}}, {{end}}
			{{- with .Drawn}}note: fmt.Sprint({{range .}}" ", {{.Name}}, {{end}}), {{end -}}
			run: {{if .InPlace}}changing(func(x []tensor) { {{.Fuzzed}} })
			{{- else if .Pair}}func(x []tensor) []tensor { return both({{.Fuzzed}}) }
			{{- else}}func(x []tensor) []tensor { return []tensor{ {{.Fuzzed}} } }{{end}}}
	}},
{{end}}{{end}}}
`,
}

const result = `{{define "result"}}{{if .InPlace}}lt_done{{else if .Pair}}lt_pair{{else}}lt_made{{end}}{{end}}`

// generate returns the text of each file.
func generate(all []operation) (map[string]string, error) {
	functions := make([]function, len(all))
	for i, o := range all {
		var err error
		if functions[i], err = parse(o); err != nil {
			return nil, err
		}
	}
	helpers := template.FuncMap{"headers": headers, "comment": func(doc string) string {
		return strings.NewReplacer("\n\n", "\n//\n// ", "\n\t", "\n//\t", "\n", "\n// ").Replace("// " + doc)
	}}
	made := map[string]string{}
	for name, text := range texts {
		var b strings.Builder
		b.WriteString(written)
		if err := template.Must(template.New(name).Funcs(helpers).Parse(text+result)).Execute(&b, functions); err != nil {
			return nil, err
		}
		made[name] = b.String()
		if strings.HasSuffix(name, ".go") {
			formatted, err := format.Source([]byte(b.String()))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			made[name] = string(formatted)
		}
	}
	return made, nil
}

// headers returns libtorch's functions called in the bodies; each has a header.
func headers(functions []function) []string {
	found := map[string]bool{}
	for _, f := range functions {
		for _, m := range regexp.MustCompile(`at::([a-z]\w+)\(`).FindAllStringSubmatch(f.Body, -1) {
			found[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
