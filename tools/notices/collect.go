package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// legal matches the names of files that have to come with a copy of the code.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|unlicense|copying|notice|patents|ftl)([-._].*)?$`)

// module is a module whose code is linked.
type module struct {
	Path, Version, Dir string
	packages           []string // folders of those that are linked
}

// collect returns the notices of the programs' modules, each text once.
func collect(ctx context.Context) ([]byte, error) {
	modules, err := linked(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{} // by text
	var order []string
	add := func(who, text string) {
		if users[text] == nil {
			order = append(order, text)
		}
		users[text] = append(users[text], who)
	}
	for _, m := range modules {
		files, err := m.legal()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s %s has no licence", m.Path, m.Version)
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(m.Dir, name))
			if err != nil {
				return nil, err
			}
			add(fmt.Sprintf("%s %s, %s", m.Path, m.Version, filepath.ToSlash(name)), normal(text))
		}
	}
	var b bytes.Buffer
	b.WriteString(heading)
	for _, text := range order {
		b.WriteString(strings.Repeat("=", 80) + "\n")
		for _, who := range users[text] {
			b.WriteString(who + "\n")
		}
		b.WriteString(strings.Repeat("-", 80) + "\n\n" + text + "\n")
	}
	return b.Bytes(), nil
}

const heading = `losscorr is under the Apache License 2.0. Its programs contain code of the projects below,
under their licences, and MNIST by Yann LeCun and Corinna Cortes under CC BY-SA 3.0
(https://creativecommons.org/licenses/by-sa/3.0/). libtorch is not part of the programs; its
notices are in the folder torch-*.dist-info of its wheel, which images hold.

`

// linked lists the modules of the programs and, first, Go's own library.
func linked(ctx context.Context) ([]module, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/...", "./experiments/...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	found := map[string]*module{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the modules: %w", err)
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &module{Path: p.Module.Path, Version: p.Module.Version, Dir: p.Module.Dir}
			found[p.Module.Path] = m
		}
		m.packages = append(m.packages, p.Dir)
	}
	modules := []module{{Path: "Go", Version: "standard library", Dir: strings.TrimSpace(string(root))}}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		modules = append(modules, *found[path])
	}
	return modules, nil
}

// legal lists the module's legal files, those of folders above its linked packages, and
// those of a folder licenses, by their paths in the module.
func (m module) legal() ([]string, error) {
	folders := map[string]bool{".": true, "licenses": true}
	for _, dir := range m.packages {
		rel, err := filepath.Rel(m.Dir, dir)
		if err != nil {
			return nil, err
		}
		for ; rel != "."; rel = filepath.Dir(rel) {
			folders[rel] = true
		}
	}
	var files []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(filepath.Join(m.Dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && legal.MatchString(e.Name()) {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
	}
	return files, nil
}

// normal is a text with line ends of one kind and without spaces at its ends.
func normal(text []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}
