package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Walk calls visit for the files and folders below root except hidden ones, sorted by name, with
// slash-separated paths relative to root. It follows links, and refuses a link to a folder that
// contains it. For a broken link, info describes the link itself.
func Walk(root string, visit func(name string, info fs.FileInfo) error) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	return walk{root, visit}.folder("", nil)
}

type walk struct {
	root  string
	visit func(name string, info fs.FileInfo) error
}

// folder visits the entries of a folder. from lists the real folders that led to it through links.
func (w walk) folder(name string, from []string) error {
	entries, err := os.ReadDir(filepath.Join(w.root, name))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := w.entry(filepath.ToSlash(filepath.Join(name, entry.Name())), entry, from); err != nil {
			return err
		}
	}
	return nil
}

func (w walk) entry(name string, entry fs.DirEntry, from []string) error {
	if Hidden(entry.Name()) {
		return nil
	}
	link := entry.Type()&fs.ModeSymlink != 0
	info, err := os.Stat(filepath.Join(w.root, name))
	if link && errors.Is(err, fs.ErrNotExist) {
		info, err = entry.Info()
	}
	if err != nil {
		return err
	}
	if err := w.visit(name, info); err != nil || !info.IsDir() {
		return err
	}
	if link {
		if from, err = w.follow(name, from); err != nil {
			return err
		}
	}
	return w.folder(name, from)
}

// follow returns the real folders on the way to a linked folder, including itself.
func (w walk) follow(name string, from []string) ([]string, error) {
	path := filepath.Join(w.root, name)
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	own, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	from = append(slices.Clip(from), own)
	for _, folder := range from {
		if rel, err := filepath.Rel(to, folder); err == nil && filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%s is a link to a folder that contains it; remove the link", name)
		}
	}
	return from, nil
}

// Hidden reports whether a path has a part that an operating system creates or hides, such as .DS_Store or
// __MACOSX.
func Hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "__MACOSX" || part == "Thumbs.db"
	})
}
