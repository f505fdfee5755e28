package download

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
)

// part is the file that holds what came so far.
type part struct{ path string }

// versionOf is what the server calls this state of the file, "" where it has no name that is sure to
// change with it. It leaves out weak entity tags, which If-Range does not take: RFC 9110, section 13.1.5.
func versionOf(r *http.Response) string {
	if tag := r.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return r.Header.Get("Last-Modified")
}

func (p part) note() string { return p.path + ".version" }

func (p part) size() int64 {
	info, err := os.Stat(p.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// version is that of the part, "" where none is noted.
func (p part) version() string {
	text, err := os.ReadFile(p.note())
	if err != nil {
		return ""
	}
	return string(text)
}

// begin empties the part and notes the version of what it will be of.
func (p part) begin(version string) error {
	if err := p.discard(); err != nil {
		return err
	}
	return os.WriteFile(p.note(), []byte(version), 0o644)
}

// open opens the part for writing on after have bytes.
func (p part) open(have int64) (*os.File, error) {
	file, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// discard removes the part and what is noted of it.
func (p part) discard() error {
	for _, path := range []string{p.path, p.note()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// hash is the SHA-256 of the part, which is on disk after it.
func (p part) hash() (string, error) {
	file, err := os.OpenFile(p.path, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), file.Sync()
}
