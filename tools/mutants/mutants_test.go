package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// Every mutant of the lists applies to the code as it is, and names tests that are there.
func TestListsApply(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := readLists(lists, root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 103 {
		t.Errorf("%d mutants, want 103 at least", len(all))
	}
	tests := map[string][]string{} // by package
	for _, m := range all {
		pkg, pattern := m.test()
		if tests[pkg] == nil {
			tests[pkg] = testsOf(t, filepath.Join(root, pkg))
		}
		for _, name := range strings.Split(pattern, "|") {
			name, _, _ = strings.Cut(name, "/") // without the subtest
			if !slices.ContainsFunc(tests[pkg], regexp.MustCompile(name).MatchString) {
				t.Errorf("%s: %s has no test %s", m.Name, pkg, name)
			}
		}
	}
}

// testsOf returns the names of a package's tests and examples.
func testsOf(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Example)\w+)\(`).FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	return names
}

func TestListsRefuse(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("one two two"), 0o666); err != nil {
		t.Fatal(err)
	}
	const good = "- {name: a, file: a.go, old: one, new: two, test: p T}\n"
	for text, want := range map[string]string{
		good: "",
		"- {name: a, file: a.go, old: three, new: two, test: p T}\n": "0 times, want once",
		"- {name: a, file: a.go, old: two, new: one, test: p T}\n":   "2 times, want once",
		"- {name: a, file: b.go, old: one, new: two, test: p T}\n":   "b.go",
		"- {name: a, file: a.go, old: one, new: one, test: p T}\n":   "another new text",
		"- {name: a, file: a.go, old: one, new: two, test: T}\n":     "a test of two words",
		"- {name: a, file: a.go, old: one, nwe: two, test: p T}\n":   "nwe",
		good + good: `two mutants are named "a"`,
	} {
		_, err := readLists(fstest.MapFS{"list/a.yaml": {Data: []byte(text)}}, root)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A module of one function: of its mutants one is found, one is not, one panics and one does
// not compile. The module itself is not changed.
func TestLab(t *testing.T) {
	root := t.TempDir()
	const code = "package p\n\nfunc Larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n"
	for name, text := range map[string]string{
		"go.mod":      "module example.org/m\n\ngo 1.26\n",
		"p/p.go":      code,
		"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestLarger(t *testing.T) {\n\tif Larger(1, 2) != 2 || Larger(2, 1) != 2 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list := List{
		{"the smaller one", "p/p.go", "a > b", "a < b", "p TestLarger"},
		{"equal ones are swapped", "p/p.go", "a > b", "a >= b", "p TestLarger"},
		{"a panic", "p/p.go", "return b", "panic(b)", "p TestLarger"},
	}
	var out bytes.Buffer
	l := lab{root: root, jobs: 2, limit: time.Minute, out: &out}
	err := l.report(t.Context(), list)
	if err == nil || !strings.Contains(err.Error(), "equal ones are swapped") || strings.Contains(err.Error(), "the smaller one") {
		t.Errorf("error %v, want the survivor", err)
	}
	if !strings.Contains(out.String(), "3 mutants: 2 killed, 1 survived") || !strings.Contains(out.String(), "(TestLarger)") {
		t.Errorf("output\n%s", out.String())
	}
	for want, m := range map[string]Mutant{
		"does not compile":  {"no code", "p/p.go", "a > b", "a >", "p TestLarger"},
		"p has no test":     {"no test", "p/p.go", "a > b", "a < b", "p TestNone"},
		"package is not in": {"no package", "p/p.go", "a > b", "a < b", "q TestLarger"},
	} {
		if err := l.report(t.Context(), List{m}); err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "does not compile") {
			t.Errorf("%s: %v, want %q", m.Name, err, want)
		}
	}
	if now, err := os.ReadFile(filepath.Join(root, "p", "p.go")); err != nil || string(now) != code {
		t.Errorf("the code was changed: %v\n%s", err, now)
	}
}
