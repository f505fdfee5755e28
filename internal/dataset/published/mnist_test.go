package published

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// idx returns an idx file of unsigned bytes.
func idx(magic uint32, dims []uint32, values []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, magic)
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, values...)
}

// pixels returns n images, each pixel a function of its place.
func pixels(n int) []byte {
	b := make([]byte, n*784)
	for k := range b {
		b[k] = byte(k * 7 % 251)
	}
	return b
}

// small is the content of a set of 3 training and 2 test examples.
func small() map[string][]byte {
	return map[string][]byte{
		"train-images-idx3-ubyte": idx(idxImages, []uint32{3, 28, 28}, pixels(3)),
		"train-labels-idx1-ubyte": idx(idxLabels, []uint32{3}, []byte{9, 0, 4}),
		"t10k-images-idx3-ubyte":  idx(idxImages, []uint32{2, 28, 28}, pixels(2)),
		"t10k-labels-idx1-ubyte":  idx(idxLabels, []uint32{2}, []byte{1, 2}),
	}
}

// writeMNIST writes the small set, packed, but for files given as they are:
// the name with or without .gz.
func writeMNIST(t *testing.T, dir string, instead map[string][]byte) {
	t.Helper()
	expect.OK(t, os.MkdirAll(dir, 0o755))
	for name, content := range small() {
		out, b := name+".gz", datasettest.Gzip(t, content)
		if plain, ok := instead[name]; ok {
			out, b = name, plain
		}
		if packed, ok := instead[name+".gz"]; ok {
			b = packed
		}
		expect.OK(t, os.WriteFile(filepath.Join(dir, out), b, 0o644))
	}
}

func TestReadSmall(t *testing.T) {
	datasettest.Isolate(t)
	for name, instead := range map[string]map[string][]byte{
		"packed":   nil,
		"unpacked": small(),
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeMNIST(t, root, instead)
			d := expect.Got(Open("mnist", dataset.Options{Root: root}))(t)
			expect.Same(t, []int{9, 0, 4}, d.Train.Labels)
			expect.Same(t, []int{1, 2}, d.Test.Labels)
			if !bytes.Equal(d.Train.X, pixels(3)) || !bytes.Equal(d.Train.Example(2), pixels(3)[2*784:]) {
				t.Error("pixels differ from what was written")
			}
			if !slices.Equal(d.Train.Shape, []int{784}) || d.Name != "mnist" || len(d.Classes) != 10 {
				t.Errorf("shape %v, name %q, classes %q", d.Train.Shape, d.Name, d.Classes)
			}
		})
	}
}

func TestReadRefusesDamage(t *testing.T) {
	datasettest.Isolate(t)
	const images, labels = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
	s := small()
	packed := datasettest.Gzip(t, s[images])
	flipped := slices.Clone(packed)
	flipped[len(flipped)-6] ^= 0xff // in the checksum
	for _, test := range []struct {
		name, file string
		content    []byte
		want       string
	}{
		{"truncated images", images, s[images][:1000],
			"values from byte 16 on, 2352 according to the header: the file is truncated: it ends after 1000 bytes of content: " +
				"replace the file with an intact copy: unexpected EOF; the files of mnist are at " +
				"https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"truncated header", images, s[images][:10], "dimension 1 at byte 8: the file is truncated: it ends after 10 bytes"},
		{"truncated magic", labels, s[labels][:2], "magic number at byte 0: the file is truncated: it ends after 2 bytes"},
		{"gzip without its end", images + ".gz", packed[:len(packed)-3], "end at unpacked byte 2368: the file is truncated"},
		{"checksum", images + ".gz", flipped, "end at unpacked byte 2368: the file is damaged: replace the file with an " +
			"intact copy: gzip: invalid checksum; the files of mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"not gzip", images + ".gz", []byte("<html>404 not found</html>"),
			"not gzip, perhaps a web page in place of the file: replace the file with an intact copy: gzip: invalid header; the " +
				"files of mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"empty", labels + ".gz", []byte{}, "empty file, perhaps from a failed download: replace the file with an intact " +
			"copy; the files of mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"trailing data", labels, append(slices.Clone(s[labels]), 0),
			"more than the header's 3 values: extra data from byte 11 on: replace the file with an intact copy; the files of " +
				"mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"trailing gzip data", labels + ".gz", append(datasettest.Gzip(t, s[labels]), 1, 2, 3),
			"end at unpacked byte 11: the file is"},
		{"labels for images", images, s[labels], "holds labels, want images: check whether the files are swapped"},
		{"images for labels", labels, s[images], "holds images, want labels: check whether the files are swapped"},
		{"other idx", images, idx(0x0d03, []uint32{3, 28, 28}, nil),
			"0x00000d03, want 0x00000803: not an idx file of images: replace the file with an intact copy; the files of " +
				"mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"other counts", labels, idx(idxLabels, []uint32{2}, []byte{1, 2}), "3 images and"},
		{"size", images, idx(idxImages, []uint32{3, 28, 27}, make([]byte, 3*28*27)),
			"images of 28 x 27 pixels, want 28 x 28"},
		{"no examples", images, idx(idxImages, []uint32{0, 28, 28}, nil),
			"dimension 0 at byte 4 is 0, which is impossible: the file is damaged: replace the file with an intact copy; the files " +
				"of mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{"huge header", images, idx(idxImages, []uint32{1 << 31, 1 << 31, 1 << 31}, nil),
			"dimension 1 at byte 8 is 2147483648"},
		{"label", labels, idx(idxLabels, []uint32{3}, []byte{1, 10, 2}),
			"label 10 of example 1 (byte 9 of the content), want one in [0, 10)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			writeMNIST(t, root, map[string][]byte{test.file: test.content})
			err := expect.Err(Open("mnist", dataset.Options{Root: root}))
			expect.Says(t, err, filepath.Join(root, test.file), test.want)
		})
	}
}
