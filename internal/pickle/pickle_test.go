package pickle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const file, archive = "testdata/weights.pth", "testdata/archive.pth"

// Tensors of torch 2.11.0, testdata/generate.py: whole, transposed, a part of another one's
// memory, a number, and a count, whose value is not read.
func TestRead(t *testing.T) {
	for _, path := range []string{file, archive} {
		t.Run(path, func(t *testing.T) { testRead(t, path) })
	}
}

func testRead(t *testing.T, path string) {
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Tensor{
		"a":          {[]int{3, 4}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		"transposed": {[]int{4, 3}, []float32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
		"part":       {[]int{2, 2}, []float32{5, 6, 9, 10}},
		"number":     {[]int{}, []float32{2.5}},
		"count":      {[]int{}, nil},
	}
	if len(got) != len(want) {
		t.Errorf("%d tensors, want %d", len(got), len(want))
	}
	for name, w := range want {
		if g := got[name]; !slices.Equal(g.Shape, w.Shape) || !slices.Equal(g.Values, w.Values) {
			t.Errorf("%s: %v, want %v", name, g, w)
		}
	}
}

// pickled is a file whose object is made by some instructions.
func pickled(t *testing.T, object string) string {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head := "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."
	if !bytes.HasPrefix(whole, []byte(head[:22])) {
		t.Fatal("the head is not that of torch.save")
	}
	path := filepath.Join(t.TempDir(), "hostile.pth")
	if err := os.WriteFile(path, []byte(head+"\x80\x02"+object+".\x80\x02]."), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a pickle may do beside holding tensors is refused, with what it names, and nothing is run.
func TestHostile(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "run")
	text := func(s string) string {
		return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
	}
	storage := "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "J\xff\xff\xff\x7fNtQ"
	for name, tt := range map[string]struct{ object, want string }{
		"a command":            {"cposix\nsystem\n" + text("touch "+mark) + "\x85R", `"posix system"`},
		"eval":                 {"cbuiltins\neval\n" + text("1") + "\x85R", `"builtins eval"`},
		"a module of torch":    {"ctorch\nload\n" + text(mark) + "\x85R", `"torch load"`},
		"protocol 4's name":    {text("os") + text("system") + "\x93", "0x93"},
		"an instance":          {"(ios\nsystem\n", "0x69"},
		"a new object":         {"ccollections\nOrderedDict\n)\x81", "0x81"},
		"an extension":         {"\x82\x01", "0x82"},
		"a dictionary called":  {"ccollections\nOrderedDict\n]\x85R", "a call of collections OrderedDict with 1 arguments"},
		"a storage called":     {"ctorch\nFloatStorage\n)R", "a call of torch FloatStorage"},
		"attributes of a name": {"ctorch\nFloatStorage\n}b", "without its arguments"},
		"no dictionary":        {"K\x01", "no state dict"},
		"nothing":              {"", "without its arguments"},
		"a text":               {"}" + text("a") + text("b") + "s", "is no tensor"},
		"an endless text":      {"X\xff\xff\xff\xff", "a text of 4294967295 bytes"},
		"a mark too few":       {"}K\x01u", "without its arguments"},
		"a mark as an object":  {"(\x85", "without its arguments"},
		"a storage too large":  {"}" + text("a") + "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + "K\x00K\x02\x85K\x01\x85tRs", "its storage is missing"},
		"sizes too large": {"}" + text("a") + "ctorch._utils\n_rebuild_tensor_v2\n(" + storage +
			"K\x00J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86K\x01K\x01\x86tRs", "a tensor of sizes"},
		"out of its storage": {"}" + text("a") + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") +
			"K\x02NtQK\x01K\x02\x85K\x01\x85tRs", "in a storage of 2 elements"},
		"a view of a storage":   {"}" + text("a") + "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\x02K\x01tQs", "a persistent object"},
		"a persistent file":     {text("/etc/passwd") + "Q", "a persistent object"},
		"an object not there":   {"h\x07", "used before it is there"},
		"a name without an end": {"c" + strings.Repeat("x", 1<<17), "buffer full"},
	} {
		_, err := Read(pickled(t, tt.object))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a command was run")
	}
}

// A file that is damaged anywhere is an error or other numbers, never a panic, nor much memory.
func TestDamaged(t *testing.T) {
	for _, path := range []string{file, archive} {
		t.Run(path, func(t *testing.T) { testDamaged(t, path) })
	}
}

func testDamaged(t *testing.T, from string) {
	whole, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.pth")
	try := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		return err
	}
	for k := range whole {
		if try(whole[:k]) == nil {
			t.Errorf("the first %d of %d bytes are read", k, len(whole))
		}
		if from == archive && k%4 > 0 {
			continue // most of it is the empty space of the archive
		}
		for _, flip := range []byte{1, 0x80} {
			damaged := slices.Clone(whole)
			damaged[k] ^= flip
			_ = try(damaged)
		}
	}
}

// An archive may hold no more than a state dict and its storages, as they are: no other object, nothing compressed,
// no storage that is missing, of another size or in another order of bytes.
func TestHostileArchive(t *testing.T) {
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	from, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		member, content string // that is changed; "" leaves it out
		method          uint16
		want            string
	}{
		{"data.pkl", "\x80\x02cposix\nsystem\nX\x04\x00\x00\x00true\x85R.", zip.Store, `"posix system"`},
		{"data.pkl", "\x80\x02K\x01.", zip.Store, "no state dict"},
		{"data.pkl", "", zip.Store, "without data.pkl"},
		{"data/0", "1234", zip.Store, "storage 0 is missing, or has not the 48 bytes"},
		{"data/0", "", zip.Store, "storage 0 is missing"},
		{"data/0", strings.Repeat("\x00", 48), zip.Deflate, "is compressed"},
		{"byteorder", "big", zip.Store, "in the order"},
	} {
		var b bytes.Buffer
		to := zip.NewWriter(&b)
		for _, m := range from.File {
			var err error
			if strings.HasSuffix(m.Name, "/"+tt.member) {
				var w io.Writer
				if tt.content != "" {
					w, err = to.CreateHeader(&zip.FileHeader{Name: m.Name, Method: tt.method})
				}
				if w != nil && err == nil {
					_, err = io.WriteString(w, tt.content)
				}
			} else {
				err = to.Copy(m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "hostile.pth")
		if err := errors.Join(to.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.member, err, tt.want)
		}
	}
}
