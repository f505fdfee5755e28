package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain keeps what the tests decode out of the user's cache folder, and the
// tests off the network.
func TestMain(m *testing.M) {
	if path := os.Getenv(openAtGo); path != "" {
		os.Exit(openAndTell(path))
	}
	dir, err := os.MkdirTemp("", "losscorr-cache")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	os.Setenv("HOME", dir) // macOS
	os.Setenv("LOSSCORR_OFFLINE", "1")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// entry is a member of an archive to be made; a name that ends in / is a folder.
type entry struct {
	name, content string
	kind          byte // 0 is a file
}

// tarGz is the archive of some entries, with sizes as they are but for link
// and device entries, which have none.
func tarGz(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(e.content))}
		switch {
		case e.kind != 0:
			h.Typeflag, h.Linkname, h.Size = e.kind, "elsewhere", 0
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size == 0 {
			continue
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.name, "/") {
			continue
		}
		if _, err := f.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// save writes content to a file of a new folder and returns the folder.
func save(t *testing.T, name string, content []byte) (root string) {
	t.Helper()
	root = t.TempDir()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// unpack writes the entries below a folder.
func unpack(t *testing.T, root string, entries []entry) {
	t.Helper()
	for _, e := range entries {
		path := filepath.Join(root, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if strings.HasSuffix(e.name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(e.content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// replace returns the entries with one in the place of that of its name, or
// added.
func replace(entries []entry, e entry) []entry {
	entries = slices.Clone(entries)
	if k := slices.IndexFunc(entries, func(other entry) bool { return other.name == e.name }); k >= 0 {
		entries[k] = e
		return entries
	}
	return append(entries, e)
}

func without(entries []entry, name string) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.name == name })
}

// flipped returns the bytes with one changed.
func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 0x55
	return b
}

// wants fails unless the error has all of the texts.
func wants(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Fatalf("error %v, want one with %q", err, text)
		}
	}
}

// Every archive is read through walk, so what it refuses no data set sees.
func TestWalkRefuses(t *testing.T) {
	good := []entry{{name: "a/"}, {name: "a/b.txt", content: strings.Repeat("some text ", 5000)}, {name: "c", content: "x"}}
	packed := tarGz(t, good)
	for _, test := range []struct {
		name, file string
		content    []byte
		want       string
	}{
		{"parent", "a.tar.gz", tarGz(t, []entry{{name: "a/../../b", content: "x"}}), `member "a/../../b": the name leads out`},
		{"absolute", "a.tgz", tarGz(t, []entry{{name: "/etc/passwd", content: "x"}}), `member "/etc/passwd": the name leads out`},
		{"backslashes", "a.zip", zipped(t, []entry{{name: `a\..\b`, content: "x"}}), `the name leads out`},
		{"parent in zip", "a.zip", zipped(t, []entry{{name: "../b", content: "x"}}), `member "../b": the name leads out`},
		{"link", "a.tar.gz", tarGz(t, []entry{{name: "a", kind: tar.TypeSymlink}}), `member "a": neither a file nor a folder, perhaps a link`},
		{"hard link", "a.tar.gz", tarGz(t, []entry{{name: "a", kind: tar.TypeLink}}), "perhaps a link"},
		{"device", "a.tar.gz", tarGz(t, []entry{{name: "a", kind: tar.TypeChar}}), "neither a file"},
		{"link in zip", "a.zip", zipped(t, []entry{{name: "a", kind: tar.TypeSymlink, content: "/etc"}}), "perhaps a link"},
		{"truncated", "a.tar.gz", packed[:len(packed)/2], "truncated"},
		{"without its end", "a.tar.gz", packed[:len(packed)-4], "truncated"},
		{"checksum", "a.tar.gz", flipped(packed, len(packed)-6), "damaged: replace the file by an intact copy: gzip: invalid checksum"},
		{"not gzip", "a.tar.gz", []byte("<html>404 not found</html>"), "not gzip, perhaps a page in place of the file: replace the file by an intact copy"},
		{"not tar", "a.tar.gz", pack(t, bytes.Repeat([]byte("no tar "), 300)), "after the beginning: it is damaged"},
		{"empty", "a.tar.gz", nil, "empty file, perhaps of a download that failed: replace the file by an intact copy"},
		{"truncated zip", "a.zip", zipped(t, good)[:100], "damaged"},
		{"other", "a.rar", []byte("Rar!"), "neither a folder nor a .tar.gz, .tgz or .zip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(save(t, test.file, test.content), test.file)
			s, err := newSource(path)
			if err == nil {
				err = s.walk(func(m member) error {
					if m.dir {
						return nil
					}
					_, err := m.read()
					return err
				})
			}
			wants(t, err, path, test.want)
		})
	}
}

// The same files are the same, however they lie, and hidden ones are none.
func TestWalkKinds(t *testing.T) {
	entries := []entry{
		{name: "a/"}, {name: "a/b.txt", content: "text"}, {name: "a/.DS_Store", content: "x"},
		{name: "__MACOSX/a/._b.txt", content: "x"}, {name: "c", content: ""},
	}
	root := t.TempDir()
	unpack(t, root, entries)
	if err := os.Symlink(filepath.Join(root, "a", "b.txt"), filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ path, want string }{
		{filepath.Join(save(t, "x.tar.gz", tarGz(t, entries)), "x.tar.gz"), "a/ a/b.txt=text c="},
		{filepath.Join(save(t, "x.zip", zipped(t, entries)), "x.zip"), "a/ a/b.txt=text c="},
		{root, "a/ a/b.txt=text c= link.txt=text"},
	} {
		s, err := newSource(test.path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = s.walk(func(m member) error {
			if m.dir {
				got = append(got, m.name+"/")
				return nil
			}
			content, err := m.read()
			got = append(got, m.name+"="+string(content))
			return err
		})
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, %v, want %s", test.path, got, err, test.want)
		}
	}
	if err := os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "folder")); err != nil {
		t.Fatal(err)
	}
	_, err := source{path: root, each: eachFile}.fingerprint()
	wants(t, err, root, "folder is a link to a folder")
}

func TestMemberTooLarge(t *testing.T) {
	m := member{name: "bomb.png", size: maxMember + 1}
	_, err := m.read()
	wants(t, err, "bomb.png: 67108865 bytes, more than 67108864")
}
