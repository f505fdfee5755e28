package download

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
)

// part is the file that holds what came so far. Its errors are local ones.
type part struct{ path string }

// version is what a part is a part of. Validator is what the server calls this
// state of the file, "" where it has no name that is sure to change with it.
type version struct {
	Address   string `json:"address"`
	Validator string `json:"validator"`
}

// versionOf leaves out weak entity tags, which If-Range does not take: RFC 9110,
// section 13.1.5.
func versionOf(r *http.Response, address string) version {
	tag := r.Header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") {
		tag = r.Header.Get("Last-Modified")
	}
	return version{address, tag}
}

func (p part) note() string { return p.path + ".json" }

func (p part) size() int64 {
	info, err := os.Stat(p.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// version is empty where nothing is noted.
func (p part) version() (v version) {
	if text, err := os.ReadFile(p.note()); err == nil && json.Unmarshal(text, &v) != nil {
		return version{}
	}
	return v
}

// begin empties the part and notes what it will be of.
func (p part) begin(v version) error {
	if err := p.discard(); err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.note(), text, 0o644); err != nil {
		return &localError{err}
	}
	return nil
}

// open opens the part for writing on after have bytes.
func (p part) open(have int64) (*os.File, error) {
	file, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, &localError{err}
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		_ = file.Close()
		return nil, &localError{err}
	}
	return file, nil
}

// discard removes the part and what is noted of it.
func (p part) discard() error {
	for _, path := range []string{p.path, p.note()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &localError{err}
		}
	}
	return nil
}

// hash is the SHA-256 of the part, which is on disk after it.
func (p part) hash() (string, error) {
	file, err := os.OpenFile(p.path, os.O_RDWR, 0)
	if err != nil {
		return "", &localError{err}
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", &localError{err}
	}
	if err := file.Sync(); err != nil {
		return "", &localError{err}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
