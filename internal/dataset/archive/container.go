package archive

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// Container holds the files of a data set: a folder, or an archive that is read as a stream and never unpacked to
// disk.
type Container struct {
	Path string
	each func(path string, visit func(Member) error) error
	Skip func(name string) bool // reports members that are not part of the data; nil if there are none

	// Left are described examples without a usable file.
	Left []dataset.Skipped

	folder bool // Path is a folder
	given  bool // the members come from Of, not from Path
}

// Member is a file or a folder of a source.
type Member struct {
	Name string // relative to the source, with slashes
	Dir  bool
	Size int64
	Time int64 // of the last change, in nanoseconds; 0 in archives
	Open func() (io.ReadCloser, error)

	// Image is set for a member that is part of an image, not a file. It returns the pixels; Pixels is the width and
	// height. Size and Time then distinguish its content from others'.
	Image  func() (image.Image, error)
	Pixels image.Point

	// Problem is why a member cannot be read, such as a pipe or a broken link. It is never opened.
	Problem error
}

// MaxMember is the largest size of one image or text in memory, since an archive of a few kilobytes can contain a
// file of gigabytes.
const MaxMember = 64 << 20

// ErrNoContainer is wrapped by Open's error for a file of another kind.
var ErrNoContainer = errors.New("neither a folder nor a .tar.gz, .tgz or .zip")

// Open opens a folder, or an archive by its ending.
func Open(path string) (Container, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Container{}, err
	case info.IsDir():
		return Container{Path: path, each: eachFile, folder: true}, nil
	case !info.Mode().IsRegular():
		return Container{}, fmt.Errorf("%s: %w", path, files.Regular(info.Mode()))
	}
	switch name := strings.ToLower(path); {
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return Container{Path: path, each: eachTar}, nil
	case strings.HasSuffix(name, ".zip"):
		return Container{Path: path, each: eachZip}, nil
	}
	return Container{}, fmt.Errorf("%s is %w", path, ErrNoContainer)
}

// Of returns a container of given members; path is for messages.
func Of(path string, members []Member) Container {
	return Container{Path: path, given: true, each: func(_ string, visit func(Member) error) error {
		for _, m := range members {
			if err := visit(m); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Walk calls visit for every member that is not hidden, in the source's own order. visit must read what a member
// opens before it returns; fs.SkipAll ends the walk without an error. Every error names the source.
func (s Container) Walk(visit func(Member) error) error {
	err := s.each(s.Path, func(m Member) error {
		if files.Hidden(m.Name) || s.Skip != nil && !m.Dir && s.Skip(m.Name) {
			return nil
		}
		return visit(m)
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	return nil
}

// IsFolder reports whether the source is a folder. Opening a folder does not hash its content.
func (s Container) IsFolder() bool { return s.folder }

// Fingerprint changes when the content does. It is the hash of an archive, or of the names, sizes and times of
// change in a folder and of given members.
func (s Container) Fingerprint() (string, error) {
	if !s.folder && !s.given {
		f, err := HashFile(s.Path)
		return f.SHA256, err
	}
	return s.hash(func(m Member, w io.Writer) error {
		_, err := fmt.Fprintln(w, m.Size, m.Time)
		return err
	})
}

// Fingerprint returns the fingerprint of any file or folder.
func Fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return Container{Path: path, each: eachFile, folder: info.IsDir()}.Fingerprint()
}

// File returns the path and hash of the source. The hash of a folder is over the names of its files and the hashes
// of their contents; for given members it is the fingerprint.
func (s Container) File() (dataset.File, error) {
	if s.given {
		sum, err := s.Fingerprint()
		return dataset.File{Path: s.Path, SHA256: sum}, err
	}
	if !s.folder {
		return HashFile(s.Path)
	}
	sum, err := s.hash(func(m Member, w io.Writer) error {
		if m.Unreadable() != nil { // not part of the data
			_, err := fmt.Fprintln(w, m.Size)
			return err
		}
		raw, err := m.Read()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		_, err = w.Write(sum[:])
		return err
	})
	return dataset.File{Path: s.Path, SHA256: sum}, err
}

// hash hashes the names of the files and what add writes for each.
func (s Container) hash(add func(m Member, w io.Writer) error) (string, error) {
	h := sha256.New()
	err := s.Walk(func(m Member) error {
		if m.Dir {
			return nil
		}
		fmt.Fprintf(h, "%q\n", m.Name)
		return add(m, h)
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// HashFile returns the path and hash of a file.
func HashFile(path string) (dataset.File, error) {
	sum, err := files.SHA256(path)
	return dataset.File{Path: path, SHA256: sum}, err
}

// Unreadable returns why this member cannot be read, or nil.
func (m Member) Unreadable() error {
	if m.Problem == nil && m.Size > MaxMember {
		return TooLarge(m.Size)
	}
	return m.Problem
}

// Read returns the content of a file.
func (m Member) Read() ([]byte, error) {
	if err := m.Unreadable(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	r, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	defer r.Close()
	content := make([]byte, m.Size)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, Damaged(err))
	}
	return content, nil
}

// TooLarge is the error for a file of more than MaxMember bytes.
func TooLarge(size int64) error {
	return fmt.Errorf("%d bytes, want at most %d in one file", size, MaxMember)
}

// eachFile follows links, which some data sets use to share another's files.
func eachFile(root string, visit func(Member) error) error {
	return files.Walk(root, func(name string, info fs.FileInfo) error {
		m := Member{Name: name, Dir: info.IsDir(), Size: info.Size(), Time: info.ModTime().UnixNano()}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			m = Member{Name: name, Problem: errors.New("it is a link to a missing file")}
		case !m.Dir && !info.Mode().IsRegular():
			m = Member{Name: name, Problem: files.Regular(info.Mode())}
		default:
			m.Open = func() (io.ReadCloser, error) { return os.Open(filepath.Join(root, filepath.FromSlash(name))) }
		}
		return visit(m)
	})
}
