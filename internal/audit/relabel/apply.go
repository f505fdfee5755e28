package relabel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
)

// Links are the kinds of links that a copy can have in place of files.
var Links = []string{"symbolic", hard}

const hard = "hard"

// Options chooses the labels and the kind of copy of a folder. The zero value uses people's decisions, else
// labels_corrected.csv, and copies the files.
type Options struct {
	DecisionsOnly bool   // keep the given label unless a person has decided
	Link          string // one of Links; "" for copies of the files
}

// partial is the ending of an unfinished copy's name.
const partial = ".partial"

// images copies an audited folder of images that has a folder for each class, with each image in the folder of
// its corrected class. The test set is copied as it is; hidden files are left out. The copy is written to dir.partial,
// which becomes dir at the end or is removed on failure. The error is dataset.ErrData if the data is not such a
// folder.
func (e *exporter) images(ctx context.Context, dir, link string) (err error) {
	s := e.audited
	if FormOf(s) != FolderForm {
		return dataset.Errorf("%s is not a folder of images with a folder for each class: use %s instead, with "+
			"--labels or in your own program", s.Source.Path, e.folder.Path(audit.LabelsFile))
	}
	c := &corrected{exporter: e, root: s.Source.Path, link: link, taken: make(map[string]bool)}
	if dir, err = c.target(dir); err != nil {
		return err
	}
	if err := c.list(); err != nil {
		return err
	}
	if err := c.read(ctx); err != nil {
		return err
	}
	part := dir + partial
	if err := os.MkdirAll(filepath.Dir(part), 0o777); err != nil {
		return fmt.Errorf("write the copy: %w", err)
	}
	if err := os.Mkdir(part, 0o777); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: remove it if an earlier command left it, or choose another folder", part)
	} else if err != nil {
		return fmt.Errorf("write the copy: %w", err)
	}
	if err = c.write(ctx, part); err == nil {
		_ = os.Remove(dir) // if it is not empty, Rename fails
		err = os.Rename(part, dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the copy: %w", err), os.RemoveAll(part))
	}
	return nil
}

// corrected is an unfinished copy.
type corrected struct {
	*exporter
	root   string // of the source
	link   string
	files  []string          // all files of the source, as paths with slashes
	above  map[string]string // the class's folder, by the path of an image
	moved  map[string]string // the new class of judged images that move
	people map[string]bool   // images with a class decided by a person
	names  map[string]string // the folder's name by class, which may have outer spaces
	taken  map[string]bool   // paths of the copy
}

// list finds the files of the source. It is an error if one of them has labels.
func (c *corrected) list() error {
	err := files.Walk(c.root, func(name string, info fs.FileInfo) error {
		if own.IsMetadata(path.Base(name)) {
			return dataset.Errorf("the labels of %s are in %s, not its folders", c.root, name)
		}
		if !info.IsDir() {
			c.files = append(c.files, name)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", c.root, err)
	}
	return nil
}

// target returns the absolute path of the copy without links, or an error if the copy would overwrite something or lie
// in the source.
func (c *corrected) target(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the folder of the copy: %w", err)
	case len(entries) > 0:
		return "", fmt.Errorf("%s is not empty: choose another folder", dir)
	}
	root, err := filepath.EvalSymlinks(c.root)
	if err != nil {
		return "", err
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for up := at; ; up = filepath.Dir(up) { // the deepest existing folder, without links
		if real, err := filepath.EvalSymlinks(up); err == nil {
			at = filepath.Join(real, strings.TrimPrefix(at, up))
			break
		}
	}
	if rel, err := filepath.Rel(root, at); err == nil && filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is inside the data: choose another folder", dir)
	}
	return at, nil
}

// read finds the class of each judged image.
func (c *corrected) read(ctx context.Context) error {
	sums, err := c.folder.Sums()
	if err != nil {
		return err
	}
	s, labels := c.audited, c.folder.Path(audit.LabelsFile)
	if c.above, err = s.Source.ClassFolders(ctx); err != nil {
		return dataset.Errorf("%w: use %s instead", err, labels)
	}
	names, classes := s.Source.Naming(), s.ClassNames()
	c.moved, c.people, c.names = make(map[string]string), make(map[string]bool), make(map[string]string)
	for _, issue := range c.issues {
		above, there := c.above[issue.ID]
		if !there {
			c.Missing++
			continue
		}
		folder := path.Base(above)
		now := names.ClassName(norm.NFC.String(strings.TrimSpace(folder)))
		switch {
		case s.Crowd == nil && now != issue.Given:
			return dataset.Errorf("the label of %s is %q, which differs from its folder: use %s instead", issue.ID, issue.Given,
				labels)
		case !slices.Contains(classes, now):
			return dataset.Errorf("the folder of %s is not a class of the answers: use %s instead", issue.ID, labels)
		}
		c.names[now] = folder
		c.Tasks++
		label, how := c.class(issue, now, c.decisionsOnly)
		c.countOpen(how)
		c.people[issue.ID] = how == audit.ByPeople || how == audit.Undecided
		if !slices.Contains(classes, label) || strings.Contains(label, "/") {
			return dataset.Errorf("unknown class %q as the label of %s: use a class of the audit", label, issue.ID)
		}
		if label == now {
			continue
		}
		replaced, err := c.replaced(issue, sums)
		if err != nil {
			return err
		}
		if replaced {
			c.Replaced++
			continue
		}
		c.moved[issue.ID] = label
	}
	return nil
}

// replaced reports whether a file differs from the one that the audit judged.
func (c *corrected) replaced(issue audit.Issue, sums []uint64) (bool, error) {
	if sums == nil || sums[issue.Row] == 0 {
		return false, nil
	}
	raw, err := files.Read(filepath.Join(c.root, filepath.FromSlash(issue.ID)), 1<<40)
	return err == nil && own.ContentHash(raw) != sums[issue.Row], err
}

// write writes the copy, first the files that stay, so that moved ones cannot take their names.
func (c *corrected) write(ctx context.Context, part string) error {
	for _, moved := range []bool{false, true} {
		for _, name := range c.files {
			class, moves := c.moved[name]
			if moves != moved {
				continue
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
			to := name
			if moves {
				to = c.place(name, class)
			}
			c.taken[strings.ToLower(to)] = true // some file systems ignore case
			if err := c.file(filepath.Join(c.root, filepath.FromSlash(name)),
				filepath.Join(part, filepath.FromSlash(to))); err != nil {
				return err
			}
			c.Files++
		}
	}
	return nil
}

// place returns the new path of an image that moves to a class.
func (c *corrected) place(name, class string) string {
	folder := c.names[class]
	if folder == "" { // no example has the label
		folder = class
	}
	c.Corrections++
	if c.people[name] {
		c.ByPeople++
	}
	of := c.above[name]
	to := path.Join(path.Dir(of), folder, strings.TrimPrefix(name, of))
	ending := path.Ext(to)
	stem := strings.TrimSuffix(to, ending) + "-from-" + path.Base(of)
	for n := 1; c.taken[strings.ToLower(to)]; n++ {
		if n == 1 {
			c.Renamed++
			to = stem + ending
			continue
		}
		to = stem + "-" + strconv.Itoa(n) + ending
	}
	return to
}

// file copies or links a file.
func (c *corrected) file(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if c.link != "" {
		real, err := filepath.EvalSymlinks(from)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return err
		}
		if c.link == hard {
			return os.Link(real, to)
		}
		return os.Symlink(real, to)
	}
	in, err := files.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
