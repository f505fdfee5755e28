package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/losscorr/losscorr/internal/files"
)

// source is the container of the files of a data set: a folder, or an archive that is
// read as a stream and never unpacked to disk.
type source struct {
	path string
	each func(path string, visit func(member) error) error
	skip func(name string) bool // members that are no part of the data; nil for none
}

// member is a file or a folder of a source.
type member struct {
	name string // relative to the source, with slashes
	dir  bool
	size int64
	time int64 // of the last change, in nanoseconds; 0 in archives
	open func() (io.ReadCloser, error)

	// problem is why a file cannot be read: a pipe, a link to nothing. Nothing opens it.
	problem error
}

// unreadable is the error of one member, which another one of the source need not have.
type unreadable struct{ error }

func (e unreadable) Unwrap() error { return e.error }

// maxMember bounds the size of one image or text in memory: an archive of a few
// kilobytes can contain a file of gigabytes.
const maxMember = 64 << 20

var errNoSource = errors.New("neither a folder nor a .tar.gz, .tgz or .zip")

// newSource chooses by what lies at the path and, of a file, by its ending.
func newSource(path string) (source, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return source{}, err
	case info.IsDir():
		return source{path: path, each: eachFile}, nil
	case !info.Mode().IsRegular():
		return source{}, fmt.Errorf("%s: %w", path, files.Regular(info.Mode()))
	}
	switch name := strings.ToLower(path); {
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return source{path: path, each: eachTar}, nil
	case strings.HasSuffix(name, ".zip"):
		return source{path: path, each: eachZip}, nil
	}
	return source{}, fmt.Errorf("%s is %w", path, errNoSource)
}

// walk calls visit for every member but hidden ones, in the source's own order;
// what a member opens is to be read before the call returns. Every error names
// the source.
func (s source) walk(visit func(member) error) error {
	err := s.each(s.path, func(m member) error {
		if hidden(m.name) || s.skip != nil && !m.dir && s.skip(m.name) {
			return nil
		}
		return visit(m)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// hidden reports whether a file was made by an operating system: .DS_Store, ._copies,
// __MACOSX.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || part == "__MACOSX" || part == "Thumbs.db"
	})
}

// isFolder reports whether the source is a folder, whose content is not hashed
// whenever it is opened.
func (s source) isFolder() bool {
	info, err := os.Stat(s.path)
	return err == nil && info.IsDir()
}

// fingerprint changes when the content does: the hash of an archive; of a
// folder, the hash of names, sizes and times of change.
func (s source) fingerprint() (string, error) {
	if !s.isFolder() {
		f, err := hashFile(s.path)
		return f.SHA256, err
	}
	return s.hash(func(m member, w io.Writer) error {
		_, err := fmt.Fprintln(w, m.size, m.time)
		return err
	})
}

// file returns the path and hash of the source. The hash of a folder is over the names
// of its files and the hashes of their contents.
func (s source) file() (File, error) {
	if !s.isFolder() {
		return hashFile(s.path)
	}
	sum, err := s.hash(func(m member, w io.Writer) error {
		if m.problem != nil || m.size > maxMember { // it is no part of the data
			_, err := fmt.Fprintln(w, m.size)
			return err
		}
		r, err := m.open()
		if err != nil {
			return err
		}
		defer r.Close()
		h := sha256.New()
		if _, err := io.Copy(h, r); err != nil {
			return fmt.Errorf("read %s: %w", m.name, err)
		}
		_, err = w.Write(h.Sum(nil))
		return err
	})
	return File{Path: s.path, SHA256: sum}, err
}

// hash is over the names of the files and what add writes of each.
func (s source) hash(add func(m member, w io.Writer) error) (string, error) {
	h := sha256.New()
	err := s.walk(func(m member) error {
		if m.dir {
			return nil
		}
		fmt.Fprintf(h, "%q\n", m.name)
		return add(m, h)
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

func hashFile(path string) (File, error) {
	sum, err := files.SHA256(path)
	return File{Path: path, SHA256: sum}, err
}

// read returns the content of a file.
func (m member) read() ([]byte, error) {
	if m.problem == nil && m.size > maxMember {
		m.problem = tooLargeError(m.size)
	}
	if m.problem != nil {
		return nil, fmt.Errorf("%s: %w", m.name, unreadable{m.problem})
	}
	r, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	defer r.Close()
	content := make([]byte, m.size)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, damaged(err))
	}
	return content, nil
}

// tooLargeError is the error for a file of so many bytes, more than maxMember.
type tooLargeError int64

// Error says what is allowed.
func (e tooLargeError) Error() string {
	return fmt.Sprintf("%d bytes, more than %d in one file", int64(e), maxMember)
}

// checkText returns an error that says where text is not UTF-8, and how to fix it.
func checkText(text []byte) error {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("not UTF-8 text: %#02x at byte %d, counted from 0: convert it (iconv -f ITS-ENCODING -t UTF-8)", text[at], at)
		}
		at += size
	}
	return nil
}

// eachFile follows links to files, which data sets made of the files of another have.
func eachFile(root string, visit func(member) error) error {
	dir := os.DirFS(root)
	return fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case entry.IsDir() && hidden(name):
			return fs.SkipDir
		}
		info, err := fs.Stat(dir, name)
		if errors.Is(err, fs.ErrNotExist) && entry.Type()&fs.ModeSymlink != 0 {
			return visit(member{name: name, problem: errors.New("it is a link to a file that is not there")})
		}
		if err != nil {
			return err
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return visit(member{name: name, problem: files.Regular(info.Mode())})
		}
		if info.IsDir() && !entry.IsDir() {
			return fmt.Errorf("%s is a link to a folder, which is not followed: put the folder itself there", name)
		}
		return visit(member{
			name: name, dir: info.IsDir(), size: info.Size(), time: info.ModTime().UnixNano(),
			open: func() (io.ReadCloser, error) { return dir.Open(name) },
		})
	})
}
