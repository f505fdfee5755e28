package tensorboard

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/internal/scratchpython"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 250_000_000, time.UTC)

// golden are the events of testdata/golden.tfevents.
var golden = []Event{
	{start.Add(time.Second), 1, []Scalar{{"train/loss", .5}, {"test/accuracy", 97.25}}},
	{start.Add(300 * time.Second), 300, []Scalar{{"train/loss", math.Inf(1)}, {"test/accuracy", float64(float32(-1e-9))}}},
}

// The oracle is TensorBoard's own writer: testdata/generate.py.
func TestGolden(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "golden.tfevents"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "events")
	if err := Write(path, start, nil, golden...); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); !bytes.Equal(got, want) {
		t.Errorf("bytes\n%s, want\n%s", hex.Dump(got), hex.Dump(want))
	}
	f, err := Read(filepath.Join("testdata", "golden.tfevents"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden, f.Events); diff != "" || !f.Start.Equal(start) {
		t.Errorf("start %v, events (-want +got):\n%s", f.Start, diff)
	}
}

// The oracle is TensorBoard's own writer: testdata/generate.py. A reader of the scalars
// does not see the settings.
func TestHParamsGolden(t *testing.T) {
	want := content(t, filepath.Join("testdata", "hparams.tfevents"))
	path := filepath.Join(t.TempDir(), "events")
	settings := HParams{"quick": false, "loss": "forward", "noise.level": .6}
	if err := Write(path, start, settings); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); !bytes.Equal(got, want) {
		t.Errorf("bytes\n%s, want\n%s", hex.Dump(got), hex.Dump(want))
	}
	f, err := Read(path)
	if err != nil || len(f.Events) != 0 {
		t.Fatalf("events %v, %v", f, err)
	}
	if err := f.Append(path, golden[0]); err != nil {
		t.Fatal(err)
	}
	if f, err = Read(path); err != nil || len(f.Events) != 1 || f.Events[0].Step != 1 {
		t.Errorf("after one epoch: %+v, %v", f, err)
	}
	if got := content(t, path); !bytes.HasPrefix(got, want) {
		t.Error("the settings did not stay")
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// RFC 3720, B.4: the CRC-32C of 32 zeros is 8a9136aa; masked by TFRecord's rule.
func TestMasked(t *testing.T) {
	sum := uint32(0x8a9136aa)
	if got, want := masked(make([]byte, 32)), (sum>>15|sum<<17)+0xa282ead8; got != want {
		t.Errorf("masked sum %08x, want %08x", got, want)
	}
}

// Wherever a crash cuts the last record short, what is before it stays, and the
// next record stands right after it.
func TestAppendAfterATornRecord(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := Write(whole, start, nil, golden...); err != nil {
		t.Fatal(err)
	}
	want := content(t, whole)
	if err := Write(whole, start, nil, golden[0]); err != nil {
		t.Fatal(err)
	}
	first := len(content(t, whole))
	for cut := first; cut <= len(want); cut++ {
		path := filepath.Join(dir, fmt.Sprint(cut))
		if err := os.WriteFile(path, want[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if cut == len(want) {
			if len(f.Events) != 2 {
				t.Errorf("%d events in the whole file", len(f.Events))
			}
			continue
		}
		if len(f.Events) != 1 {
			t.Fatalf("cut at %d: %d events", cut, len(f.Events))
		}
		if err := f.Append(path, golden[1]); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(content(t, path), want) {
			t.Errorf("cut at %d: the file is not as if nothing had happened", cut)
		}
	}
}

// A record that was changed, and all behind it, is not believed.
func TestReadDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events")
	if err := Write(path, start, nil, golden...); err != nil {
		t.Fatal(err)
	}
	good := content(t, path)
	whole := func(cut int) int { // events that end before cut
		n := 0
		for rest := good; len(rest) > 0; n++ {
			_, next, err := nextRecord(rest)
			if err != nil {
				t.Fatal(err)
			}
			if len(good)-len(next) > cut {
				break
			}
			rest = next
		}
		return n - 1
	}
	for k := range good {
		bad := bytes.Clone(good)
		bad[k] ^= 0x40
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path)
		switch want := whole(k); {
		case want < 0 && err == nil:
			t.Errorf("byte %d changed: read all the same", k)
		case want >= 0 && (err != nil || len(f.Events) != want):
			t.Errorf("byte %d changed: %v, want %d events", k, err, want)
		}
	}
	if _, err := Read(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(path, appendRecord(nil, golden[0].encode()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), `version ""`) {
		t.Errorf("a file without a version: %v", err)
	}
}

// Whatever the bytes, decode ends and does not panic.
func FuzzDecode(f *testing.F) {
	f.Add(encodeVersion(start))
	f.Add(golden[0].encode())
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, _, err := decode(data)
		if err == nil && len(e.Scalars) > len(data) {
			t.Errorf("%d scalars of %d bytes", len(e.Scalars), len(data))
		}
	})
}

// TensorBoard's own reader sees what was written.
func TestTensorBoardReads(t *testing.T) {
	python := scratchpython.Find(t, "tensorboard")
	dir := t.TempDir()
	path := filepath.Join(dir, "events.out.tfevents.losscorr")
	if err := Write(path, start, HParams{"loss": "forward", "noise.level": .6, "quick": true}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for step := range int64(40) {
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		at := start.Add(time.Duration(step+1) * 1500 * time.Millisecond)
		accuracy := float64(float32(90 + .1*float64(step)))
		if err := f.Append(path, Event{at, step + 1, []Scalar{{"test/accuracy", accuracy}}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("test/accuracy scalars %d %d.%06d", step+1, at.Unix(), at.Nanosecond()/1000))
	}
	out, err := exec.Command(python, filepath.Join("testdata", "read.py"), dir).Output()
	if err != nil {
		t.Fatalf("read.py: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	settings := []string{"_hparams_/session_start_info loss forward", "_hparams_/session_start_info noise.level 0.6", "_hparams_/session_start_info quick True"}
	if n := max(0, len(lines)-len(settings)); !slices.Equal(lines[n:], settings) {
		t.Errorf("settings %q, want %q", lines[n:], settings)
	} else {
		lines = lines[:n]
	}
	if len(lines) != len(want) {
		t.Fatalf("%d scalars, want %d:\n%s", len(lines), len(want), out)
	}
	for k, line := range lines {
		cut := strings.LastIndex(line, " ")
		var value float64
		if _, err := fmt.Sscan(line[cut:], &value); err != nil {
			t.Fatal(err)
		}
		if line[:cut] != want[k] || float32(value) != float32(90+.1*float64(k)) {
			t.Errorf("line %q, want %q and %v", line, want[k], float32(90+.1*float64(k)))
		}
	}
}
