package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
)

// Limits of a document, far above what experiments need, so that one that multiplies
// without end is an error and not an exhausted memory.
const (
	maxBytes  = 1 << 20 // of a file
	maxFiles  = 1000    // read, each as often as it is named
	maxBlocks = 256     // after those of extended files are multiplied
)

// Document is a configuration as written: a file with the files that it extends and
// the overrides of the command line, before presets are applied and grids expanded.
// Each of its blocks has its own grid.
type Document struct {
	Name   string
	Files  []Source
	blocks []layer
	dirs   map[string]string   // folder of each file on disk, for relative paths
	texts  map[string][]string // lines of each file, for errors
	own    *Own                // what lies under a user's settings, of runs on own data
}

// Source is a file that a document was read from.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Resolved is one run with the place where each of its settings was written.
type Resolved struct {
	Config  Config
	Origins map[string]Position
}

// Load reads a configuration file and returns its runs. Overrides have the form
// key=value, with dotted keys:
//
//	runs, err := config.Load("mnist.yaml", "noise.level=.6", "seed=[1,2]")
//
// The error is a *ConfigError with everything that is wrong, or a *FileError if the
// file cannot be read.
func Load(file string, overrides ...string) ([]Config, error) {
	doc, err := Read(file, overrides...)
	if err != nil {
		return nil, err
	}
	return doc.Expand()
}

// Read reads a configuration file from disk without expanding it to runs.
func Read(file string, overrides ...string) (*Document, error) {
	get := func(name string) ([]byte, error) { return files.Read(name, maxBytes) }
	return read(file, get, true, overrides, nil)
}

// ReadFS reads a configuration file from a file system such as an embed.FS.
// Relative paths of data in it are relative to the working directory.
func ReadFS(fsys fs.FS, file string, overrides ...string) (*Document, error) {
	get := func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) } // embedded, by us
	return read(file, get, false, overrides, nil)
}

func read(file string, get func(string) ([]byte, error), disk bool, overrides []string, own *Own) (*Document, error) {
	ps := problems{texts: map[string][]string{}}
	l := loader{get: get, disk: disk, ps: &ps, dirs: map[string]string{}}
	merged := l.file(file, "", Position{}, nil)
	if l.err != nil {
		return nil, l.err
	}
	top := overrideLayer(overrides, &ps)
	doc := &Document{Name: file, Files: l.files, dirs: l.dirs, texts: ps.texts, blocks: stackEach(merged, []layer{top}),
		own: own}
	if len(ps.list) > 0 && !l.partial {
		doc.alsoWrong(&ps)
	}
	return doc, ps.err()
}

// alsoWrong adds the problems of the settings of a document whose grid or overrides
// are wrong, so that all can be fixed at once. Problems that may only be a consequence
// are left out: settings that an unreadable grid would have set, or that are missing.
func (d *Document) alsoWrong(ps *problems) {
	var made []string
	for _, p := range ps.list {
		if key, ok := strings.CutPrefix(p.Key, "grid."); ok {
			made = append(made, group(key))
		}
	}
	_, err := d.Resolve()
	var more *ConfigError
	if !errors.As(err, &more) {
		return
	}
	for _, p := range more.Problems {
		missing := p.At == Position{Source: d.Name}
		if !missing && !slices.Contains(made, group(p.Key)) {
			ps.put(p)
		}
	}
}

// group is the first part of a dotted key.
func group(key string) string {
	head, _, _ := strings.Cut(key, ".")
	return head
}

// loader reads a file and those that it extends, lowest layer first.
type loader struct {
	get     func(string) ([]byte, error)
	disk    bool
	ps      *problems
	dirs    map[string]string
	files   []Source
	reads   int
	partial bool  // a file could not be read
	err     error // the requested file cannot be read at all
}

// read reads a file that the files of the chain name at from, nil where that is not possible.
func (l *loader) read(name, key string, from Position, chain []string) *value {
	if slices.Contains(chain, name) {
		what := "extends itself"
		if key == "blocks" {
			what = "is a block of itself"
		}
		l.ps.add(from, key, "%s %s: %s", name, what, strings.Join(append(chain, name), " -> "))
		return nil
	}
	if l.reads++; l.reads > maxFiles {
		if l.reads == maxFiles+1 {
			l.ps.add(from, key, "more than %d files to read", maxFiles)
		}
		return nil
	}
	data, err := l.get(name)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		if len(chain) == 0 {
			l.err = &FileError{Path: name, Err: err}
		} else {
			l.ps.add(from, key, "cannot read %s: %v", name, err)
		}
		return nil
	}
	if source := (Source{Name: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}); !slices.Contains(l.files, source) {
		l.files = append(l.files, source)
	}
	l.ps.texts[name] = strings.Split(string(data), "\n")
	tree := parseYAML(name, data, l.ps)
	if tree == nil {
		return nil
	}
	if l.disk {
		l.dirs[name] = filepath.Dir(name)
	}
	if tree.kind != mapValue {
		l.ps.add(tree.at, "", "the document has to be a map of settings, not %s", describe(tree))
		return nil
	}
	return tree
}

// file returns one layer for each block of a file, or one layer for a file without
// blocks.
func (l *loader) file(name, key string, from Position, chain []string) []layer {
	tree := l.read(name, key, from, chain)
	if tree == nil {
		return l.nothing()
	}
	chain = append(slices.Clone(chain), name)
	out := []layer{{}}
	for _, base := range l.names("extends", tree) {
		out = l.stackEach(out, l.file(l.beside(name, base.text), "extends", base.at, chain), "extends", base.at)
	}
	var blocks []layer
	for _, block := range l.names("blocks", tree) {
		more := l.file(l.beside(name, block.text), "blocks", block.at, chain)
		if len(blocks)+len(more) > maxBlocks {
			l.ps.add(block.at, "blocks", "more than %d blocks", maxBlocks)
			return l.nothing()
		}
		blocks = append(blocks, more...)
	}
	if blocks != nil {
		out = l.stackEach(out, blocks, "blocks", tree.at)
	}
	return stackEach(out, []layer{splitGrid(tree, l.ps)})
}

// stackEach is stackEach for as many blocks as a document may have.
func (l *loader) stackEach(lower, upper []layer, key string, at Position) []layer {
	if len(lower)*len(upper) > maxBlocks {
		l.ps.add(at, key, "more than %d blocks", maxBlocks)
		return l.nothing()
	}
	return stackEach(lower, upper)
}

// nothing stands for a file that cannot be read.
func (l *loader) nothing() []layer {
	l.partial = true
	return []layer{{}}
}

// beside returns the path of the file other, relative to the file that names it.
func (l *loader) beside(name, other string) string {
	if filepath.IsAbs(other) {
		return other
	}
	return filepath.Join(filepath.Dir(name), other)
}

// names takes a file or a list of files out of a tree.
func (l *loader) names(key string, tree *value) []*value {
	v := tree.fields[key]
	if v == nil {
		return nil
	}
	tree.remove(key)
	items := v.items
	switch {
	case v.kind == listValue:
	case key == "blocks":
		l.ps.add(v.at, key, "has to be a list of files, not %s", describe(v))
	default:
		items = []*value{v}
	}
	var out []*value
	for _, item := range items {
		if item.kind != scalarValue || item.tag != "!!str" || item.text == "" {
			l.ps.add(item.at, key, "has to name a file or a list of files, not %s", describe(item))
			continue
		}
		out = append(out, item)
	}
	return out
}

// FileError says that a configuration file cannot be read.
type FileError struct {
	Path string
	Err  error
}

// Error names the file and the reason.
func (e *FileError) Error() string {
	return fmt.Sprintf("configuration %s cannot be read: %v", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// Sets reports whether one of the overrides sets a key.
func Sets(overrides []string, key string) bool {
	return slices.ContainsFunc(overrides, func(text string) bool { return KeyOf(text) == key })
}

// KeyOf returns the key of an override.
func KeyOf(override string) string {
	key, _, _ := cutOverride(override)
	return key
}

func cutOverride(text string) (key, value string, found bool) {
	key, value, found = strings.Cut(text, "=")
	return strings.TrimSpace(key), value, found
}

// overrideLayer parses key=value arguments. A list for a key that holds one value
// becomes an axis of the grid.
func overrideLayer(overrides []string, ps *problems) layer {
	out := layer{body: newMap(Position{Source: "override"})}
	for _, text := range overrides {
		at := Position{Source: "override " + text}
		key, raw, found := cutOverride(text)
		if !found || key == "" {
			ps.add(at, "", "an override has the form key=value, such as noise.level=.6")
			continue
		}
		t := keyType(key)
		if t == nil {
			switch axis, isAxis := strings.CutPrefix(key, "grid."); {
			case isAxis && keyType(axis) != nil:
				ps.add(at, key, "a list makes a grid on the command line: %s=[...]", axis)
			case slices.Contains(fileKeys, key) || isAxis:
				ps.add(at, key, "for files only, not for the command line")
			default:
				ps.add(at, key, "unknown key%s", dottedHint(key))
			}
			continue
		}
		v := parseOverride(at, raw, ps)
		if v == nil {
			continue
		}
		if v.kind == listValue && t.Kind().String() != "slice" {
			out = stack(out, layer{body: newMap(at), axes: []axis{newAxis(key, v, at, ps)}})
			continue
		}
		out = stack(out, layer{body: wrap(key, v, at)})
	}
	return out
}

func parseOverride(at Position, raw string, ps *problems) *value {
	var own problems
	if strings.TrimSpace(raw) == "" {
		ps.add(at, "", "no value after the equals sign")
		return nil
	}
	v := parseYAML(at.Source, []byte(raw), &own)
	for _, p := range own.list {
		ps.put(Problem{At: at, Text: p.Text})
	}
	if v != nil {
		v.place(at)
	}
	return v
}

// place gives a whole tree one position, since lines within an argument have no
// meaning.
func (v *value) place(at Position) {
	v.at = at
	for k := range v.keyAt {
		v.keyAt[k] = at
		v.fields[k].place(at)
	}
	for _, item := range v.items {
		item.place(at)
	}
}
