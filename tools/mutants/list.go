package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Mutant is a bug to plant: in File, Old becomes New. Old is in the file exactly once.
type Mutant struct {
	Name string `yaml:"name"` // what is wrong in it
	File string `yaml:"file"` // from the root of the module
	Old  string `yaml:"old"`
	New  string `yaml:"new"`
	Test string `yaml:"test"` // package and pattern of the tests that find it, as "training TestSelection"
}

// List is mutants in the order of their files.
type List []Mutant

// readLists reads the lists and checks that each mutant applies to the code in root. The
// error names every one that does not.
func readLists(files fs.FS, root string) (List, error) {
	names, err := fs.Glob(files, "list/*.yaml")
	if err != nil {
		return nil, err
	}
	var all List
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var part List
		if err := yaml.Load(text, &part, yaml.WithKnownFields()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, part...)
	}
	var wrong []error
	seen := map[string]bool{}
	for _, m := range all {
		if seen[m.Name] {
			wrong = append(wrong, fmt.Errorf("two mutants are named %q", m.Name))
		}
		seen[m.Name] = true
		if _, err := m.apply(root); err != nil {
			wrong = append(wrong, err)
		}
	}
	return all, errors.Join(wrong...)
}

func (l List) matching(pattern *regexp.Regexp) (out List) {
	for _, m := range l {
		if pattern.MatchString(m.Name) || pattern.MatchString(m.File) || pattern.MatchString(m.Test) {
			out = append(out, m)
		}
	}
	return out
}

// apply returns the file with the bug in it.
func (m Mutant) apply(root string) ([]byte, error) {
	if m.Name == "" || m.Old == m.New || len(strings.Fields(m.Test)) != 2 {
		return nil, fmt.Errorf("mutant %q of %s needs a name, an old text, another new text, and a test of two words, the package and a pattern", m.Name, m.File)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, fmt.Errorf("mutant %q: %w", m.Name, err)
	}
	if n := bytes.Count(text, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("mutant %q does not apply: %s holds its old text %d times, want once: %q; change tools/mutants/list with the code", m.Name, m.File, n, m.Old)
	}
	return bytes.Replace(text, []byte(m.Old), []byte(m.New), 1), nil
}

// test returns the package and the pattern of the tests.
func (m Mutant) test() (pkg, pattern string) {
	words := strings.Fields(m.Test)
	return words[0], words[1]
}
