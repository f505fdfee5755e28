package published

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// The digits in the repository, against figures that are known of MNIST: the
// first labels, the class counts and the mean pixel .1307 of every tutorial.
func TestRealMNIST(t *testing.T) {
	d := expect.Got(Open("mnist", dataset.Options{Root: "../../../data"}))(t)
	expect.Same(t, []int{60000, 10000, 60000 * 784, 10000 * 784},
		[]int{d.Train.Len(), d.Test.Len(), len(d.Train.X), len(d.Test.X)})
	expect.Same(t, []int{5, 0, 4, 1, 9, 2, 1, 3, 1, 4}, d.Train.Labels[:10])
	expect.Same(t, []int{7, 2, 1, 0, 4}, d.Test.Labels[:5])
	expect.Same(t, []int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}, d.Train.Counts(10))
	sum := 0
	for _, v := range d.Train.X {
		sum += int(v)
	}
	if mean := float64(sum) / float64(len(d.Train.X)) / 255; mean < .13065 || mean > .13067 {
		t.Errorf("mean pixel %v, want .13066", mean)
	}
	// sha256sum of the file in the repository.
	expect.Same(t, "158ca8de2de4226ea98ebf937a8a4063e8ef81f772f8bf25128eeeef19c05073", d.Files[1].SHA256, d.Files[1].Path)
	expect.Same(t, 4, len(d.Files))
}

// MNIST is inside the program, for a first run in an empty folder. A folder that
// is named and does not exist is a slip of the keyboard, not a reason to take it.
func TestOpenInside(t *testing.T) {
	datasettest.Isolate(t)
	d := expect.Got(Open("mnist", dataset.Options{}))(t)
	expect.Same(t, 60000, d.Train.Len())
	expect.Same(t, filepath.Join("inside the program", "train-images-idx3-ubyte.gz"), d.Files[0].Path)
	_, err := Open("mnist", dataset.Options{Root: "dtaa"})
	expect.Is(t, err, fs.ErrNotExist)
	expect.Says(t, err, "dtaa")
}

// Each place is used when those before it lack the set.
func TestOpenOrder(t *testing.T) {
	work, cache := datasettest.Isolate(t)
	env, given := t.TempDir(), t.TempDir()
	t.Setenv("LOSSCORR_DATA", env)
	for _, dir := range []string{
		filepath.Join(cache, "mnist"),
		filepath.Join(work, "data", "mnist"),
		env, // the files themselves, no folder mnist
		filepath.Join(given, "mnist"),
	} {
		writeMNIST(t, dir, nil)
		d := expect.Got(Open("mnist", dataset.Options{Root: given}))(t)
		expect.Same(t, dir, expect.Got(filepath.Abs(filepath.Dir(d.Files[0].Path)))(t))
	}
}

func TestOpenIncomplete(t *testing.T) {
	datasettest.Isolate(t)
	root := t.TempDir()
	writeMNIST(t, root, nil)
	expect.OK(t, os.Remove(filepath.Join(root, "t10k-labels-idx1-ubyte.gz")))
	_, err := Open("mnist", dataset.Options{Root: root})
	expect.Is(t, err, fs.ErrNotExist)
	expect.Says(t, err, "t10k-labels-idx1-ubyte.gz", "the download is incomplete; the files of mnist are at https://")
}
