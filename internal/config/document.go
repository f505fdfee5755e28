package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/losscorr/losscorr/internal/files"
)

// maxBytes bounds a file, so that a device or a data set gives an error instead of using up the memory.
const maxBytes = 1 << 20

// Document is a configuration as written: a file with the files that it extends and the overrides of the command line,
// before presets and grids are applied. Each of its blocks has its own grid.
type Document struct {
	Name   string
	blocks []layer
	own    Own // of runs on own data
}

// Load reads a configuration file and returns its runs. Overrides have the form
// key=value, with dotted keys:
//
//	runs, err := config.Load("mnist.yaml", "noise.level=.6", "seed=[1,2]")
//
// The error is a *ConfigError with all problems, or a *FileError if the file cannot be read.
func Load(file string, overrides ...string) ([]Config, error) {
	doc, err := Read(file, overrides...)
	if err != nil {
		return nil, err
	}
	return doc.Expand()
}

// Read reads a configuration file from disk without expanding it into runs.
func Read(file string, overrides ...string) (*Document, error) {
	get := func(name string) ([]byte, error) { return files.Read(name, maxBytes) }
	return read(file, get, true, overrides)
}

// ReadFS reads a configuration file from a file system such as an embed.FS. Relative paths of data in it are relative
// to the working directory.
func ReadFS(fsys fs.FS, file string, overrides ...string) (*Document, error) {
	get := func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) } // embedded, so of bounded size
	return read(file, get, false, overrides)
}

func read(file string, get func(string) ([]byte, error), disk bool, overrides []string) (*Document, error) {
	l := loader{get: get, disk: disk, known: map[string][]layer{}}
	blocks := l.file(file, "", Position{}, nil)
	if l.err != nil {
		return nil, l.err
	}
	doc := &Document{Name: file}
	return doc, doc.override(blocks, overrides, &l.ps, l.partial)
}

// override applies the command line's overrides to the blocks. The error lists the problems found while reading and,
// unless a file is missing, the problems of the runs.
func (d *Document) override(blocks []layer, overrides []string, ps *problems, partial bool) error {
	d.blocks = stackEach(blocks, []layer{overrideLayer(overrides, ps)})
	if len(ps.list) > 0 && !partial {
		d.alsoWrong(ps)
	}
	return ps.err()
}

// alsoWrong adds the problems of the runs after reading found some, so that all can be fixed at once. It leaves out
// those that may be mere consequences: of settings that are missing or could not be read.
func (d *Document) alsoWrong(ps *problems) {
	_, err := d.Resolve()
	var more *ConfigError
	if !errors.As(err, &more) {
		return
	}
	read := slices.Clone(ps.list)
	for _, p := range more.Problems {
		missing := p.At == Position{Source: d.Name}
		if !missing && !slices.ContainsFunc(read, func(q Problem) bool {
			return q.Key != "" && related(strings.TrimPrefix(q.Key, "grid."), p.Key)
		}) {
			ps.put(p)
		}
	}
}

// loader reads a file and the files that it extends, lowest layer first.
type loader struct {
	get     func(string) ([]byte, error)
	disk    bool
	ps      problems
	known   map[string][]layer // files already read
	partial bool               // a file could not be read
	err     error              // the requested file cannot be read at all
}

// file returns the layers of a file that another file names at from: one for each block, or a single one if there are
// no blocks. chain lists the files that led here.
func (l *loader) file(name, key string, from Position, chain []string) []layer {
	if known, ok := l.known[name]; ok {
		return known
	}
	r := reader{source: name, ps: &l.ps}
	if l.disk {
		r.folder = filepath.Dir(name)
	}
	root := l.root(&r, key, from, chain)
	if root == nil {
		return l.nothing()
	}
	top := layer{body: values{}}
	var bases, blocks *yaml.Node
	for k, v := range r.entries(root) {
		switch k.Value {
		case "extends":
			bases = v
		case "blocks":
			blocks = v
		case "grid":
			r.grid(v, &top)
		default:
			r.member(k, v, "", top.body)
		}
	}
	out := []layer{{body: values{}}}
	chain = append(slices.Clone(chain), name)
	for _, base := range r.names(bases, "extends") {
		out = stackEach(out, l.file(beside(name, base.Value), "extends", r.at(base), chain))
	}
	var inner []layer
	for _, block := range r.names(blocks, "blocks") {
		inner = append(inner, l.file(beside(name, block.Value), "blocks", r.at(block), chain)...)
	}
	if inner != nil {
		out = stackEach(out, inner)
	}
	out = stackEach(out, []layer{top})
	l.known[name] = out
	return out
}

// root returns the root map of a file. On failure it adds a problem at from and returns nil.
func (l *loader) root(r *reader, key string, from Position, chain []string) *yaml.Node {
	name := r.source
	if slices.Contains(chain, name) {
		what := map[string]string{"extends": "extends itself", "blocks": "is a block of itself"}[key]
		l.ps.add(from, key, "%s %s: %s", name, what, strings.Join(append(chain, name), " -> "))
		return nil
	}
	data, err := l.get(name)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		if len(chain) == 0 {
			l.err = &FileError{Path: name, Err: err}
		} else {
			l.ps.add(from, key, "cannot read %s: %v", name, err)
		}
		return nil
	}
	root := r.parse(data, "the file has no settings")
	if root != nil && root.Kind != yaml.MappingNode {
		r.bad(root, "", "the document must be a map of settings, not %s", describe(root))
		return nil
	}
	return root
}

// nothing stands in for a file that cannot be read.
func (l *loader) nothing() []layer {
	l.partial = true
	return []layer{{body: values{}}}
}

// beside returns the path of the file other, relative to the file that names it.
func beside(name, other string) string {
	if filepath.IsAbs(other) {
		return other
	}
	return filepath.Join(filepath.Dir(name), other)
}

// names reads a list of files, or a single file to extend.
func (r *reader) names(n *yaml.Node, key string) (out []*yaml.Node) {
	if n == nil {
		return nil
	}
	items := n.Content
	if n.Kind != yaml.SequenceNode {
		if items = []*yaml.Node{n}; key == "blocks" {
			r.bad(n, key, "must be a list of files, not %s", describe(n))
			return nil
		}
	}
	for _, item := range items {
		if item = target(item); item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" || item.Value == "" {
			r.bad(item, key, "must name a file or a list of files, not %s", describe(item))
			continue
		}
		out = append(out, item)
	}
	return out
}

// FileError reports a configuration file that cannot be read.
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

// KeyOf returns an override's key.
func KeyOf(override string) string {
	key, _, _ := strings.Cut(override, "=")
	return strings.TrimSpace(key)
}

// overridePrefix starts the Source of positions in overrides.
const overridePrefix = "override "

// overrideLayer parses key=value arguments. A list for a setting with a single value becomes an axis of the grid.
func overrideLayer(overrides []string, ps *problems) layer {
	out := layer{body: values{}}
	for _, text := range overrides {
		r := reader{source: overridePrefix + text, argument: true, ps: ps}
		at := Position{Source: r.source}
		key := KeyOf(text)
		_, raw, found := strings.Cut(text, "=")
		axis, isAxis := strings.CutPrefix(key, "grid.")
		switch {
		case !found || key == "":
			ps.add(at, "", "an override has the form key=value, such as noise.level=.6")
		case isAxis && isKey(axis):
			ps.add(at, key, "on the command line a list makes a grid: write %s=[...]", axis)
		case slices.Contains(fileKeys, key) || isAxis:
			ps.add(at, key, "cannot be set on the command line, only in a file")
		case !isKey(key):
			ps.add(at, key, "unknown key%s", hint(key))
		default:
			out = stack(out, r.override(key, raw))
		}
	}
	return out
}

// override reads the value of an override.
func (r *reader) override(key, raw string) layer {
	out := layer{body: values{}}
	switch n := r.parse([]byte(raw), "no value after the equals sign"); {
	case n == nil:
	case n.Kind == yaml.SequenceNode && !byKey[key].isList():
		out.axes = []axis{r.axis(n, key)}
		out.at = r.at(n)
	default:
		r.value(n, key, out.body)
	}
	return out
}
