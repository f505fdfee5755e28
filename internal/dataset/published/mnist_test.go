package published

import (
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
			expect.Same(t, pixels(3), d.Train.X)
			expect.Same(t, pixels(3)[2*784:], d.Train.Example(2))
			expect.Same(t, []int{784}, d.Train.Shape)
			expect.Same(t, "mnist", d.Name)
			expect.Same(t, 10, len(d.Classes))
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
		file    string
		content []byte
		want    string
	}{
		{images, s[images][:1000], "it has 984 values, and 2352 by its header: replace the file with an " +
			"intact copy; the files of mnist are at https://ossci-datasets.s3.amazonaws.com/mnist/"},
		{images, s[images][:10], "it does not begin as an idx file of images: replace the file"},
		{images + ".gz", packed[:len(packed)-3], "it is truncated: replace the file"},
		{images + ".gz", flipped, "it is damaged: replace the file with an intact copy: gzip: invalid checksum"},
		{images + ".gz", []byte("<html>404 not found</html>"), "not gzip, perhaps a web page in place of the file"},
		{labels + ".gz", []byte{}, "empty file, perhaps from a failed download: replace the file"},
		{labels, append(slices.Clone(s[labels]), 0), "it has 4 values, and 3 by its header"},
		{images, s[labels], "it does not begin as an idx file of images"},
		{labels, idx(idxLabels, []uint32{2}, []byte{1, 2}), "3 images and"},
		{images, idx(idxImages, []uint32{3, 28, 27}, make([]byte, 3*28*27)), "images of 28 x 27 pixels, want 28 x 28"},
		{images, idx(idxImages, []uint32{1 << 31, 1 << 31, 1 << 31}, nil),
			"its header has the impossible dimension 2147483648"},
		{labels, idx(idxLabels, []uint32{3}, []byte{1, 10, 2}),
			"label 10 of example 1 (byte 9 of the content), want one in [0, 10)"},
	} {
		root := t.TempDir()
		writeMNIST(t, root, map[string][]byte{test.file: test.content})
		err := expect.Err(Open("mnist", dataset.Options{Root: root}))
		expect.Says(t, err, filepath.Join(root, test.file), test.want)
	}
}
