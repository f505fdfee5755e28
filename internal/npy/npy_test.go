package npy

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/scratchpython"
)

// golden returns the path of an array that NumPy wrote; see testdata/generate.py.
func golden(t testing.TB, name string) string {
	t.Helper()
	z := expect.Got(zip.OpenReader(filepath.Join("testdata", "golden.zip")))(t)
	defer z.Close()
	f := expect.Got(z.Open(name + ".npy"))(t)
	return datasettest.File(t, "x.npy", expect.Got(io.ReadAll(f))(t))
}

func open(t testing.TB, path string) *Array {
	t.Helper()
	a := expect.Got(Open(path))(t)
	t.Cleanup(func() { a.Close() })
	return a
}

func TestNumbers(t *testing.T) {
	for _, order := range []string{"little-", "big-"} {
		for _, code := range strings.Fields("f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8") {
			a := open(t, golden(t, order+code))
			want := []float32{0, 1, 2, 3, 100, 7}
			texts := []string{"0", "1", "2", "3", "100", "7"}
			switch code[0] {
			case 'i':
				want[1], texts[1] = -5, "-5"
			case 'f':
				want[1], texts[1] = -1.5, "-1.5"
			}
			expect.Same(t, want, expect.Got(a.Float32s())(t), order, code)
			expect.Same(t, texts, expect.Got(a.Strings())(t), order, code)
			expect.Same(t, []int{2, 3}, a.Shape)
		}
	}
}

func TestForms(t *testing.T) {
	ascending := func(n int) (x []float32) {
		for k := range n {
			x = append(x, float32(k))
		}
		return x
	}
	for _, c := range []struct {
		name  string
		shape []int
		want  []float32
	}{
		{"bool", []int{2, 3}, []float32{1, 0, 1, 0, 1, 1}},
		{"fortran", []int{2, 3, 4}, ascending(24)},
		{"fortran-column", []int{3, 1}, ascending(3)},
		{"scalar", []int{}, []float32{4.5}},
		{"empty", []int{0, 7}, []float32{}},
		{"version2", []int{3, 2}, ascending(6)},
		{"version3", []int{3, 2}, ascending(6)},
	} {
		a := open(t, golden(t, c.name))
		expect.Same(t, c.want, expect.Got(a.Float32s())(t), c.name)
		expect.Same(t, c.shape, a.Shape, c.name)
	}
}

func TestStrings(t *testing.T) {
	for name, want := range map[string][]string{
		"strings": {"cat", "", "Straße"}, "strings-big": {"cat", "dog"}, "bytes": {"cat", "dogs"}, "scalar": {"4.5"},
	} {
		expect.Same(t, want, expect.Got(open(t, golden(t, name)).Strings())(t), name)
	}
	expect.Says(t, expect.Err(open(t, golden(t, "strings")).Float32s()), "an array of strings (<U6) instead of numbers")
}

// NumPy converts the same bits to float32.
func TestHalf(t *testing.T) {
	halves := expect.Got(open(t, golden(t, "halves")).Halves())(t)
	want := expect.Got(open(t, golden(t, "halves-wide")).Float32s())(t)
	for k, bits := range halves {
		expect.Same(t, want[k], Half(bits), bits)
	}
	if nan := Half(0x7e00); nan == nan {
		t.Errorf("0x7e00: %v, want NaN", nan)
	}
}

func TestRow(t *testing.T) {
	expect.Same(t, []byte{3, 100, 7}, expect.Got(open(t, golden(t, "little-u1")).Row(1))(t))
}

func TestRefused(t *testing.T) {
	file := func(header string, elements int) string {
		b := append([]byte(magic), 1, 0, byte(len(header)), byte(len(header)>>8))
		return string(append(append(b, header...), make([]byte, elements)...))
	}
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "not an NPY file: it has fewer than 8 bytes"},
		{"text", "id,label\n1,cat\n", `not an NPY file: it starts with "id,lab"`},
		{"version", magic + "\x09\x00aaaaaaaaaaa", "version 9 of NPY"},
		{"short header", magic + "\x01\x00\x40\x00{'descr", "truncated in its header"},
		{"long double", file("{'descr': '<f16', 'fortran_order': False, 'shape': ()}", 16),
			`elements of type "<f16" are not supported`},
		{"npz", "PK\x03\x04aaaaaaaaaaaaaa", "an NPZ archive, not an NPY file: save the array with"},
		{"long header", magic + "\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes: the file is damaged"},
		{"a lie", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 512), }", 8),
			"its header is for float32 [1000000000 512], but it has 8 bytes of elements: it is truncated or damaged"},
		{"overflow", file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0),
			"impossible shape"},
		{"malformed", file("{'descr': '<f4' 'shape'}", 0), "malformed header"},
	} {
		expect.Says(t, expect.Err(Open(datasettest.File(t, "x.npy", c.content))), c.want)
	}
	for name, want := range map[string]string{
		"objects": "an array of Python objects: convert it", "complex": `elements of type "<c16" are not supported`,
		"dates": `elements of type "<M8[D]" are not supported`, "records": "an array of records",
	} {
		expect.Says(t, expect.Err(Open(golden(t, name))), want)
	}
	expect.Says(t, expect.Err(Open(t.TempDir())), "a folder, not an NPY file")
}

func TestWriteFloat32(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.npy")
	want := []float32{.1, .9, .5, .5, 1, 0}
	expect.OK(t, WriteFloat32(path, want, 2))
	a := open(t, path)
	expect.Same(t, want, expect.Got(a.Float32s())(t))
	expect.Same(t, []int{3, 2}, a.Shape)
	expect.Same(t, 0, a.size%64)
	python := scratchpython.Find(t, "numpy")
	out, err := exec.Command(python, "-c", "import numpy, sys; x = numpy.load(sys.argv[1]); print(x.dtype, x.shape, "+
		"x.sum())", path).Output()
	expect.OK(t, err)
	expect.Same(t, "float32 (3, 2) 3.0\n", string(out))
}

// Whatever the bytes, an array has its header's number of elements, and needs no more
// memory than the file's size.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"little-f2", "big-i4", "bool", "fortran", "strings", "bytes", "records", "objects",
		"version3"} {
		f.Add(expect.Got(os.ReadFile(golden(f, name)))(f))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		h, err := readHeader(bytes.NewReader(content))
		if err == nil && h.size > int64(len(content)) {
			t.Fatalf("a header of %d bytes in %d", h.size, len(content))
		}
		a, err := Open(datasettest.File(t, "x.npy", content))
		if err != nil {
			return
		}
		defer a.Close()
		if texts, err := a.Strings(); err == nil && len(texts) != a.header.count() {
			t.Errorf("%d strings of %v", len(texts), a.Shape)
		}
		if x, err := a.Float32s(); err == nil && len(x) != a.header.count() {
			t.Errorf("%d numbers of %v", len(x), a.Shape)
		}
	})
}
