package tensorboard

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The oracle is TensorBoard's own writer: testdata/generate.py.
func TestGolden(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 250_000_000, time.UTC)
	path := filepath.Join(t.TempDir(), "events")
	err := Write(path, start,
		Event{start.Add(time.Second), 1, []Scalar{{"train/loss", .5}, {"test/accuracy", 97.25}}},
		Event{start.Add(300 * time.Second), 300, []Scalar{{"train/loss", math.Inf(1)}, {"test/accuracy", -1e-9}}})
	got, unread := os.ReadFile(path)
	want, missing := os.ReadFile(filepath.Join("testdata", "golden.tfevents"))
	if err := errors.Join(err, unread, missing); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("bytes\n%s, want\n%s", hex.Dump(got), hex.Dump(want))
	}
}
