package archive

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Every archive is read through walk, so what it refuses no data set sees.
func TestWalkRefuses(t *testing.T) {
	good := []datasettest.Entry{{Name: "a/"}, {Name: "a/b.txt", Content: strings.Repeat("some text ", 5000)},
		{Name: "c", Content: "x"}}
	packed := datasettest.TarGz(t, good)
	tarred := func(e datasettest.Entry) []byte { return datasettest.TarGz(t, []datasettest.Entry{e}) }
	zipped := func(e datasettest.Entry) []byte { return datasettest.Zip(t, []datasettest.Entry{e}) }
	for _, test := range []struct {
		file    string
		content []byte
		want    string
	}{
		{"a.tar.gz", tarred(datasettest.Entry{Name: "a/../../b", Content: "x"}), `member "a/../../b": its name leads out`},
		{"a.tgz", tarred(datasettest.Entry{Name: "/etc/passwd", Content: "x"}), `member "/etc/passwd": its name leads out`},
		{"a.zip", zipped(datasettest.Entry{Name: `a\..\b`, Content: "x"}), `its name leads out of the archive`},
		{"a.zip", zipped(datasettest.Entry{Name: `\etc\passwd`, Content: "x"}), `its name leads out of the archive`},
		{"a.zip", zipped(datasettest.Entry{Name: "../b", Content: "x"}), `member "../b": its name leads out`},
		{"a.tar.gz", tarred(datasettest.Entry{Name: "a", Kind: tar.TypeSymlink}),
			`member "a": it is neither a file nor a folder, perhaps a link`},
		{"a.tar.gz", tarred(datasettest.Entry{Name: "a", Kind: tar.TypeLink}), "perhaps a link"},
		{"a.tar.gz", tarred(datasettest.Entry{Name: "a", Kind: tar.TypeChar}), "neither a file"},
		{"a.zip", zipped(datasettest.Entry{Name: "a", Kind: tar.TypeSymlink, Content: "/etc"}), "perhaps a link"},
		{"a.tar.gz", packed[:len(packed)/2], "truncated"},
		{"a.tar.gz", packed[:len(packed)-4], "truncated"},
		{"a.tar.gz", datasettest.Flipped(packed, len(packed)-6),
			"damaged: replace the file with an intact copy: gzip: invalid checksum"},
		{"a.tar.gz", []byte("<html>404 not found</html>"),
			"not gzip, perhaps a web page in place of the file: replace the file with an intact copy"},
		{"a.tar.gz", datasettest.Gzip(t, bytes.Repeat([]byte("no tar "), 300)), "after the beginning: it is damaged"},
		{"a.tar.gz", nil, "empty file, perhaps from a failed download: replace the file with an intact copy"},
		{"a.zip", datasettest.Zip(t, good)[:100], "damaged"},
		{"a.rar", []byte("Rar!"), "neither a folder nor a .tar.gz, .tgz or .zip"},
	} {
		path := datasettest.File(t, test.file, test.content)
		s, err := Open(path)
		if err == nil {
			err = s.Walk(func(m Member) error {
				if m.Dir {
					return nil
				}
				_, err := m.Read()
				return err
			})
		}
		expect.Says(t, err, path, test.want)
	}
}

// The same files are the same, however they lie, and hidden ones are none.
func TestWalkKinds(t *testing.T) {
	entries := []datasettest.Entry{
		{Name: "a/"}, {Name: "a/b.txt", Content: "text"}, {Name: "a/.DS_Store", Content: "x"},
		{Name: "__MACOSX/a/._b.txt", Content: "x"}, {Name: "c", Content: ""},
	}
	root := t.TempDir()
	datasettest.Unpack(t, root, entries)
	expect.OK(t, os.Symlink(filepath.Join(root, "a", "b.txt"), filepath.Join(root, "link.txt")))
	expect.OK(t, os.Symlink("a", filepath.Join(root, "folder")))
	byWindows := slices.Clone(entries)
	for k := range byWindows {
		byWindows[k].Name = strings.ReplaceAll(byWindows[k].Name, "/", `\`)
	}
	for _, test := range []struct{ path, want string }{
		{datasettest.File(t, "w.zip", datasettest.Zip(t, byWindows)), "a/ a/b.txt=text c="},
		{datasettest.File(t, "x.tar.gz", datasettest.TarGz(t, entries)), "a/ a/b.txt=text c="},
		{datasettest.File(t, "x.zip", datasettest.Zip(t, entries)), "a/ a/b.txt=text c="},
		{root, "a/ a/b.txt=text c= folder/ folder/b.txt=text link.txt=text"},
	} {
		s := expect.Got(Open(test.path))(t)
		var got []string
		err := s.Walk(func(m Member) error {
			if m.Dir {
				got = append(got, m.Name+"/")
				return nil
			}
			content, err := m.Read()
			got = append(got, m.Name+"="+string(content))
			return err
		})
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, %v, want %s", test.path, got, err, test.want)
		}
	}
}

func TestMemberTooLarge(t *testing.T) {
	m := Member{Name: "bomb.png", Size: MaxMember + 1}
	expect.Says(t, expect.Err(m.Read()), "bomb.png: 67108865 bytes, want at most 67108864 in one file")
}

func TestMain(m *testing.M) { datasettest.Main(m) }
