package torch_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/scratchpython"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// every returns the tensors that testdata/generate.py writes to python.safetensors.
func every() map[string]torch.Tensor {
	return map[string]torch.Tensor{
		"f32":    torchtest.FromSlice([]float32{1.5, -2.25, 1. / 3}, 1, 3),
		"f64":    torchtest.FromSlice([]float64{3, 1e300}),
		"bf16":   torchtest.FromSlice([]float32{1, 3.140625, -65280}).ToDType(torch.BFloat16),
		"f16":    torchtest.FromSlice([]float32{.5, 65504, float32(math.Copysign(0, -1))}).ToDType(torch.Float16),
		"i64":    torchtest.FromSlice([]int64{-(1 << 62), 7}),
		"i32":    torchtest.FromSlice([]int32{math.MaxInt32, -5}, 2, 1),
		"u8":     torchtest.FromSlice([]uint8{0, 128, 255}),
		"bool":   torchtest.FromSlice([]bool{true, false, true}),
		"scalar": torch.Scalar(2.5, f32),
		"empty":  torch.Zeros(torch.Options{DType: torch.Float64, Device: device}, 0, 3),
	}
}

func same(t *testing.T, got, want map[string]torch.Tensor) {
	t.Helper()
	expect.Same(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "tensors")
	for name, w := range want {
		g := got[name]
		if g.DType() != w.DType() || !slices.Equal(g.Shape(), w.Shape()) {
			t.Errorf("%s: %v, want %v", name, g, w)
		} else if w.DType() == torch.Int64 {
			expect.Same(t, torch.Slice[int64](w), torch.Slice[int64](g), name)
		} else {
			torchtest.Close(t, name, g, torch.Slice[float64](w), 0)
		}
	}
}

func TestSafetensorsRoundTrip(t *testing.T) {
	defer torchtest.Scoped(t)()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	for i := range 3 { // each replaces the one before, the last with nothing
		want, metadata := every(), map[string]string{"epoch": fmt.Sprint(i), "naïve \"key\"": "<&>\n"}
		want["transposed"] = torchtest.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 2, 3).T()
		want["parameter"] = torch.Ones(f32, i+1).SetRequiresGrad(true)
		if i == 2 {
			want, metadata = nil, map[string]string{}
		}
		expect.OK(t, torch.SaveSafetensors(path, want, metadata))
		got, back, err := torch.LoadSafetensors(path)
		expect.OK(t, err)
		same(t, got, want)
		expect.Same(t, metadata, back, "metadata")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files left beside the saved one: %q", left)
	}
}

// SafetensorsMetadata ignores the tensors, which may be damaged, and the checksum.
func TestSafetensorsMetadata(t *testing.T) {
	defer torchtest.Scoped(t)()
	path := filepath.Join(t.TempDir(), "a.safetensors")
	want := map[string]string{"what": "a network", "classes": `["cat"]`}
	expect.OK(t, torch.SaveSafetensors(path, map[string]tensor{"w": torchtest.FromSlice([]float64{1, 2})}, want))
	expect.Same(t, want, expect.Got(torch.SafetensorsMetadata(path))(t))
	whole := expect.Got(os.ReadFile(path))(t)
	whole[len(whole)-1] ^= 1
	expect.OK(t, os.WriteFile(path, whole, 0o644))
	expect.Same(t, want, expect.Got(torch.SafetensorsMetadata(path))(t))
	for _, content := range []string{"abc", string(whole[:20]), "this is not a safetensors file"} {
		expect.OK(t, os.WriteFile(path, []byte(content), 0o644))
		expect.Says(t, expect.Err(torch.SafetensorsMetadata(path)), path)
	}
}

// python.safetensors is from Python's safetensors 0.8.0, testdata/generate.py.
func TestSafetensorsFromPython(t *testing.T) {
	defer torchtest.Scoped(t)()
	got, metadata, err := torch.LoadSafetensors("testdata/python.safetensors")
	expect.OK(t, err)
	same(t, got, every())
	expect.Same(t, map[string]string{"made by": "Python"}, metadata, "metadata")
}

// Python's safetensors reads the same tensors from our file as from its own.
func TestSafetensorsToPython(t *testing.T) {
	const script = `
import sys
from safetensors import deserialize, safe_open
ours, theirs = (sorted(deserialize(open(path, "rb").read()), key=lambda item: item[0]) for path in sys.argv[1:])
assert ours == theirs, ours
with safe_open(sys.argv[1], "np") as f:
    assert f.metadata()["epoch"] == "3", f.metadata()
`
	python := scratchpython.Find(t, "safetensors", "numpy")
	defer torchtest.Scoped(t)()
	path := filepath.Join(t.TempDir(), "ours.safetensors")
	expect.OK(t, torch.SaveSafetensors(path, every(), map[string]string{"epoch": "3"}))
	torchtest.Output(t, exec.Command(python, "-c", script, path, "testdata/python.safetensors"))
}

// file puts a header's length before it, and data after it.
func file(header string, data ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

func TestSafetensorsRefusesBadFiles(t *testing.T) {
	torchtest.Open(t)
	path := filepath.Join(t.TempDir(), "whole.safetensors")
	torch.Scope(func() {
		x := torchtest.FromSlice([]float32{1, 2, 3, 4})
		expect.OK(t, torch.SaveSafetensors(path, map[string]torch.Tensor{"x": x, "y": x}, nil))
	})
	whole := expect.Got(os.ReadFile(path))(t)
	flipped := slices.Clone(whole)
	flipped[len(flipped)-3] ^= 1
	entry := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"x":{"dtype":%q,"shape":%s,"data_offsets":%s}}`, dtype, shape, offsets)
	}
	four := []byte{0, 0, 0, 0}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":              {nil, "not a safetensors file: 0 bytes"},
		"another format":       {[]byte("\x89PNG\r\n\x1a\nIHDR...."), "not a safetensors file: a header of"},
		"a file of torch.save": {[]byte("PK\x03\x04\x00\x00\x08\x08"), "not a safetensors file but a zip, as torch.save"},
		"header length 2^63": {append([]byte{0, 0, 0, 0, 0, 0, 0, 0x80}, whole[8:]...),
			"not a safetensors file: a header of 9223372036854775808"},
		"header length": {append([]byte{255, 255, 255, 0, 0, 0, 0, 0}, whole[8:]...),
			"truncated: the header has 16777215 bytes"},
		"header cut":          {whole[:40], "truncated: the header"},
		"data cut":            {whole[:len(whole)-1], "truncated"},
		"bit flipped":         {flipped, "damaged: its contents do not match the checksum"},
		"not JSON":            {file(`{"x":`), "its header is not a JSON object"},
		"a JSON list":         {file(`[1]`), "its header is not a JSON object"},
		"metadata":            {file(`{"__metadata__":{"a":1}}`), "its metadata is not an object of texts"},
		"not an entry":        {file(`{"x":3}`), `tensor "x" is not described as expected`},
		"unknown dtype":       {file(entry("F8_E5M2", "[4]", "[0,4]"), four...), `dtype "F8_E5M2" has no counterpart`},
		"backwards":           {file(entry("U8", "[4]", "[4,0]"), four...), "its byte range [4, 0) is invalid"},
		"before the start":    {file(entry("U8", "[4]", "[-4,0]"), four...), "its byte range [-4, 0) is invalid"},
		"beyond the end":      {file(entry("U8", "[9]", "[0,9]"), four...), "truncated: it ends at byte 9"},
		"wrong size":          {file(entry("F32", "[2]", "[0,4]"), four...), "4 bytes do not hold shape [2] of F32"},
		"half an element":     {file(entry("F32", "[1]", "[0,3]"), four[:3]...), "3 bytes do not hold"},
		"negative size":       {file(entry("U8", "[-2,-2]", "[0,4]"), four...), "has a negative size"},
		"sizes that overflow": {file(entry("U8", "[4294967296,4294967296,4]", "[0,4]"), four...), "do not hold shape"},
		"empty and huge":      {file(entry("U8", "[9223372036854775807,9223372036854775807,0]", "[0,0]")), "load"},
		"size beyond 64 bits": {file(entry("U8", "[18446744073709551616]", "[0,4]"), four...),
			"is not described as expected"},
		"fraction":        {file(entry("U8", "[4.5]", "[0,4]"), four...), "is not described as expected"},
		"nine dimensions": {file(entry("U8", "[1,1,1,1,1,1,1,1,4]", "[0,4]"), four...), "9 dimensions are more than 8"},
		"not a bool":      {file(entry("BOOL", "[4]", "[0,4]"), 0, 1, 2, 0), "byte 2 is not a truth value"},
	} {
		path := filepath.Join(t.TempDir(), "bad.safetensors")
		expect.OK(t, os.WriteFile(path, c.data, 0o644))
		torchtest.NoLeak(t, func() {
			tensors, _, err := torch.LoadSafetensors(path)
			expect.Same(t, 0, len(tensors), name+": tensors")
			expect.Says(t, err, c.want, path)
		})
	}
}

func TestSaveSafetensorsFails(t *testing.T) {
	defer torchtest.Scoped(t)()
	dir := t.TempDir()
	x := map[string]torch.Tensor{"x": torch.Ones(f32, 2)}
	missing := filepath.Join(dir, "no", "such", "folder.safetensors")
	expect.Says(t, torch.SaveSafetensors(missing, x, nil), missing)
	path := filepath.Join(dir, "x.safetensors")
	expect.Says(t, torch.SaveSafetensors(path, x, map[string]string{"losscorr.sha256": "0"}), "losscorr.sha256")
	reserved := map[string]torch.Tensor{"__metadata__": x["x"]}
	expect.Says(t, torch.SaveSafetensors(path, reserved, nil), "__metadata__")
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("failed saves left %q", left)
	}
	if _, _, err := torch.LoadSafetensors(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("loading what is not there: %v", err)
	}
}

// Whatever the bytes, loading returns: tensors or an error.
func FuzzLoadSafetensors(f *testing.F) {
	python := expect.Got(os.ReadFile("testdata/python.safetensors"))(f)
	f.Add(python)
	f.Add(file(`{"x":{"dtype":"U8","shape":[2,0],"data_offsets":[0,0]}}`))
	f.Add(file(`{"x":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}`, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		torchtest.Open(t)
		path := filepath.Join(t.TempDir(), "x.safetensors")
		expect.OK(t, os.WriteFile(path, data, 0o644))
		torch.Scope(func() {
			tensors, _, err := torch.LoadSafetensors(path)
			if (err == nil) != (tensors != nil) {
				t.Errorf("tensors %v with error %v", tensors, err)
			}
			for _, x := range tensors {
				if x.Numel() > len(data) {
					t.Errorf("%v from a file of %d bytes", x, len(data))
				}
			}
		})
	})
}

// Saving replaces the file by a new one: a reader that has opened the old file still sees all of it, as after a crash
// in the middle of the write. A failed save leaves the old file.
func TestSafetensorsReplaces(t *testing.T) {
	defer torchtest.Scoped(t)()
	dir := t.TempDir()
	path, old := filepath.Join(dir, "w.safetensors"), filepath.Join(dir, "old")
	save := func(path string, v float32) error {
		return torch.SaveSafetensors(path, map[string]torch.Tensor{"w": torchtest.FromSlice([]float32{v, v})}, nil)
	}
	expect.OK(t, save(path, 1))
	before := expect.Got(os.ReadFile(path))(t)
	expect.OK(t, os.Link(path, old))
	expect.OK(t, save(path, 2))
	for name, want := range map[string]float64{old: 1, path: 2} {
		tensors, _, err := torch.LoadSafetensors(name)
		expect.OK(t, err)
		torchtest.Close(t, name, tensors["w"], []float64{want, want}, 0)
	}
	expect.Same(t, string(before), string(expect.Got(os.ReadFile(old))(t)), "the old file")
}
