package published

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
)

// mnist is the handwritten digits of LeCun, Cortes and Burges: 60,000 training and 10,000
// test images of 28 x 28 grey values, 0 for the background. Sets in the same format
// (Fashion-MNIST, KMNIST) can be read as well.
var mnist = Entry{
	Name: "mnist", Title: "MNIST", Kind: dataset.Vector,
	Flips: []correction.Flip{{From: "2", To: "7"}, {From: "3", To: "8"}, {From: "5", To: "6"}, {From: "6", To: "5"},
		{From: "7", To: "1"}},
	files: []string{
		"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
		"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz",
	},
	source: "https://ossci-datasets.s3.amazonaws.com/mnist/ (first published at http://yann.lecun.com/exdb/mnist/)",
	layouts: []layout{{
		marks: []mark{
			{at: "train-images-idx3-ubyte.gz"}, {at: "train-labels-idx1-ubyte.gz"},
			{at: "t10k-images-idx3-ubyte.gz"}, {at: "t10k-labels-idx1-ubyte.gz"},
			{at: "train-images-idx3-ubyte"}, {at: "train-labels-idx1-ubyte"},
			{at: "t10k-images-idx3-ubyte"}, {at: "t10k-labels-idx1-ubyte"},
		},
		readFiles: readMNIST,
	}},
}

// side is the height and width of a digit.
const side = 28

func readMNIST(dir folder) (*dataset.Dataset, error) {
	d := &dataset.Dataset{Classes: strings.Split("0123456789", "")}
	for _, part := range []struct {
		prefix string
		split  *dataset.Split
	}{{"train", &d.Train}, {"t10k", &d.Test}} {
		split, files, err := readMNISTSplit(dir, part.prefix, len(d.Classes))
		if err != nil {
			return nil, err
		}
		*part.split = split
		d.Files = append(d.Files, files...)
	}
	return d, nil
}

func readMNISTSplit(dir folder, prefix string, classes int) (dataset.Split, []dataset.File, error) {
	dims, pixels, images, err := readIdx(dir, prefix+"-images-idx3-ubyte", idxImages)
	if err != nil {
		return dataset.Split{}, nil, err
	}
	if dims[1] != side || dims[2] != side {
		return dataset.Split{}, nil, fmt.Errorf("%s: images of %d x %d pixels, want %d x %d", images.Path, dims[1], dims[2],
			side, side)
	}
	count, values, labels, err := readIdx(dir, prefix+"-labels-idx1-ubyte", idxLabels)
	if err != nil {
		return dataset.Split{}, nil, err
	}
	if count[0] != dims[0] {
		return dataset.Split{}, nil, fmt.Errorf("%s has %d images and %s %d labels: the files do not belong together",
			images.Path, dims[0], labels.Path, count[0])
	}
	s := dataset.Split{X: pixels, Shape: []int{side * side}, Labels: make([]int, len(values))}
	for k, v := range values {
		if int(v) >= classes {
			return dataset.Split{}, nil, fmt.Errorf("%s: label %d of example %d (byte %d of the content), want one in [0, %d)",
				labels.Path, v, k, 8+k, classes)
		}
		s.Labels[k] = int(v)
	}
	return s, []dataset.File{images, labels}, nil
}
