package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// eachTar visits the members of a .tar.gz in one pass.
func eachTar(archive string, visit func(Member) error) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		if err == io.EOF {
			return fmt.Errorf("empty file, perhaps from a failed download: %w", ErrDamaged)
		}
		return NotGzip(err)
	}
	t := tar.NewReader(z)
	content := func() (io.ReadCloser, error) { return io.NopCloser(t), nil }
	last := "the beginning"
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("after %s: %w", last, Damaged(err))
		}
		last = h.Name
		switch h.Typeflag {
		case tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg, tar.TypeDir:
		default:
			return refuse(h.Name, "it is neither a file nor a folder, perhaps a link")
		}
		name, err := safe(h.Name)
		if err != nil {
			return err
		}
		if err := visit(Member{Name: name, Dir: h.Typeflag == tar.TypeDir, Size: h.Size, Open: content}); err != nil {
			return err
		}
	}
	// Reading on to the end checks gzip's checksum.
	if _, err := io.Copy(io.Discard, z); err != nil {
		return fmt.Errorf("after %s: %w", last, Damaged(err))
	}
	return nil
}

func eachZip(archive string, visit func(Member) error) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return Damaged(err)
	}
	defer z.Close()
	for _, f := range z.File {
		mode := f.Mode()
		if !mode.IsRegular() && !mode.IsDir() {
			return refuse(f.Name, "it is neither a file nor a folder, perhaps a link")
		}
		slashes := strings.ReplaceAll(f.Name, `\`, "/") // as written by programs on Windows
		name, err := safe(slashes)
		if err != nil {
			return err
		}
		if f.UncompressedSize64 > 1<<40 {
			return refuse(f.Name, "its header claims more than a terabyte")
		}
		dir := mode.IsDir() || strings.HasSuffix(slashes, "/")
		if err := visit(Member{Name: name, Dir: dir, Size: int64(f.UncompressedSize64), Open: f.Open}); err != nil {
			return err
		}
	}
	return nil
}

// safe returns an error for a name that leads out of the archive.
func safe(name string) (string, error) {
	if path.IsAbs(name) || slices.Contains(strings.FieldsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\'
	}), "..") {
		return "", refuse(name, "its name leads out of the archive")
	}
	return path.Clean(name), nil
}

func refuse(name, why string) error {
	return fmt.Errorf("the archive is refused because of its member %q: %s", name, why)
}

// ErrDamaged is wrapped by errors of damaged files; Open adds where to get an intact one.
var ErrDamaged = errors.New("replace the file with an intact copy")

// NotGzip explains a gzip error in a file that ends in .gz.
func NotGzip(err error) error {
	return fmt.Errorf("not gzip, perhaps a web page in place of the file: %w: %w", ErrDamaged, err)
}

// Damaged explains errors in reading archives.
func Damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is truncated: %w: %w", ErrDamaged, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("it is damaged: %w: %w", ErrDamaged, err)
}
