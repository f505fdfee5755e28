// Package datasettest has fixtures for the tests of the packages below dataset: archives and
// folders of small images, files, and a home folder without the user's cache.
package datasettest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

// Entry is a member of a new archive; a name that ends in / is a folder.
type Entry struct {
	Name, Content string
	Kind          byte // 0 is a file
}

// TarGz returns an archive of entries. Links and devices have no size.
func TarGz(t testing.TB, entries []Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.Name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(e.Content))}
		switch {
		case e.Kind != 0:
			h.Typeflag, h.Linkname, h.Size = e.Kind, "elsewhere", 0
		case strings.HasSuffix(e.Name, "/"):
			h.Typeflag = tar.TypeDir
		}
		expect.OK(t, w.WriteHeader(h))
		if h.Size == 0 {
			continue
		}
		expect.OK(t, expect.Err(w.Write([]byte(e.Content))))
	}
	expect.OK(t, w.Close())
	return Gzip(t, out.Bytes())
}

// Zip is TarGz for a .zip.
func Zip(t testing.TB, entries []Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate}
		if e.Kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f := expect.Got(w.CreateHeader(h))(t)
		if strings.HasSuffix(e.Name, "/") {
			continue
		}
		expect.OK(t, expect.Err(f.Write([]byte(e.Content))))
	}
	expect.OK(t, w.Close())
	return out.Bytes()
}

// Save writes content to a file of a new folder and returns the folder.
func Save(t testing.TB, name string, content []byte) (root string) {
	t.Helper()
	root = t.TempDir()
	Put(t, filepath.Join(root, name), string(content))
	return root
}

// File returns the path of a file with a name and content in a new folder.
func File[B ~string | ~[]byte](t testing.TB, name string, content B) string {
	t.Helper()
	return filepath.Join(Save(t, name, []byte(content)), name)
}

// Unpack writes the entries below a folder.
func Unpack(t testing.TB, root string, entries []Entry) {
	t.Helper()
	for _, e := range entries {
		path := filepath.Join(root, filepath.FromSlash(e.Name))
		if !strings.HasSuffix(e.Name, "/") {
			Put(t, path, e.Content)
		} else if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// Replace returns the entries with e in place of the entry with its name.
func Replace(entries []Entry, e Entry) []Entry {
	entries = slices.Clone(entries)
	entries[slices.IndexFunc(entries, func(other Entry) bool { return other.Name == e.Name })] = e
	return entries
}

// Flipped returns the bytes with one changed.
func Flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 0x55
	return b
}

// Isolate sets an empty home and working folder, so that a test finds only its own files.
func Isolate(t testing.TB) (work, cache string) {
	t.Helper()
	work, cache = t.TempDir(), t.TempDir()
	t.Chdir(work)
	t.Setenv("LOSSCORR_DATA", "")
	t.Setenv("LOSSCORR_OFFLINE", "1")
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache) // macOS
	return work, filepath.Join(expect.Got(os.UserCacheDir())(t), "losscorr", "data")
}

// PNG returns an image of one colour.
func PNG(t testing.TB, w, h int, c color.Color) string {
	t.Helper()
	return string(PNGFile(t, plain(w, h, c)))
}

// JPEG returns an image of one colour.
func JPEG(t testing.TB, w, h int, c color.Color) string {
	t.Helper()
	return JPEGFile(t, plain(w, h, c), jpeg.DefaultQuality)
}

func plain(w, h int, c color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// Grey returns a PNG of 2 x 2 pixels of one value.
func Grey(t testing.TB, v byte) string { return PNG(t, 2, 2, color.NRGBA{v, v, v, 255}) }

// Values returns the first byte of each example.
func Values(s dataset.Split) (v []byte) {
	for k := range s.Len() {
		v = append(v, s.Example(k)[0])
	}
	return v
}

// Array returns an NPY file of elements in C order.
func Array(descr, shape string, elements any) string {
	var b bytes.Buffer
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
	b.WriteString("\x93NUMPY\x01\x00")
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	_ = binary.Write(&b, binary.LittleEndian, elements)
	return b.String()
}

// Here writes files, given as names and contents in turn, into a new folder and changes to it.
func Here(t testing.TB, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for k := 0; k < len(files); k += 2 {
		Put(t, files[k], files[k+1])
	}
}

// Album returns a folder with the entries.
func Album(t testing.TB, entries ...Entry) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "album")
	Unpack(t, root, entries)
	return root
}

// Shaded returns images of the values 0, 1 and so on.
func Shaded(t testing.TB, names ...string) (entries []Entry) {
	t.Helper()
	for k, name := range names {
		entries = append(entries, Entry{Name: name, Content: Grey(t, byte(k))})
	}
	return entries
}

// Put writes a file, with the folders above it.
func Put(t testing.TB, path, content string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(content), 0o644))
}

// Waves returns a smooth image of waves, different for each seed.
func Waves(seed uint64, w, h int) image.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	var f [3][3]float64 // waves per width, per height, and phase
	for c := range f {
		f[c] = [3]float64{15 * r.Float64(), 15 * r.Float64(), 6 * r.Float64()}
	}
	for y := range h {
		for x := range w {
			var v [3]byte
			for c := range v {
				v[c] = byte(128 + 120*math.Sin(f[c][0]*(float64(x)+.5)/float64(w)+f[c][1]*(float64(y)+.5)/float64(h)+f[c][2]))
			}
			img.Set(x, y, color.NRGBA{v[0], v[1], v[2], 255})
		}
	}
	return img
}

// JPEGFile encodes a picture as JPEG with a quality.
func JPEGFile(t testing.TB, img image.Image, quality int) string {
	t.Helper()
	var b bytes.Buffer
	expect.OK(t, jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}))
	return b.String()
}

// PNGFile encodes a picture as PNG.
func PNGFile(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	expect.OK(t, png.Encode(&b, img))
	return b.Bytes()
}

// Main runs the tests of a package with a cache folder of their own and without network.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "losscorr-cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_CACHE_HOME", dir)
	os.Setenv("HOME", dir) // macOS
	os.Setenv("LOSSCORR_OFFLINE", "1")
	m.Run()
}

// WebP returns a WebP image of one pixel.
func WebP(t testing.TB) string {
	t.Helper()
	return string(expect.Got(base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="))(t))
}

// Gzip packs bytes.
func Gzip[B ~string | ~[]byte](t testing.TB, b B) B {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	expect.OK(t, expect.Err(z.Write([]byte(b))))
	expect.OK(t, z.Close())
	return B(out.Bytes())
}
