package published

import (
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Lists of the generated set: validation and test follow the training keys.
const (
	noisyTrain = "noisy_train_key_list.txt"
	many       = 300 // noisy images
	few        = 60
)

// key is the path of image k of all.
func key(k int) string { return fmt.Sprintf("images/%d/%02d/%d,%d.jpg", k%10, k/10%100, k, 3*k) }

// writeClothes makes a small set in the layout of Clothing1M: three classes, noisy
// images, then 40 clean ones to train on, 20 of validation and 30 to test with. Of
// the clean ones every second has a noisy label too. The class of image k is k mod
// 3, its noisy label the next one, and its red shade(k).
func writeClothes(t *testing.T, root string, noisy int) {
	t.Helper()
	lists := map[string]string{clothingNames: "T-Shirt\nDown Coat\r\nVest\n"}
	k := 0
	for _, list := range []struct {
		name string
		n    int
	}{{noisyTrain, noisy}, {cleanTrain, 40}, {cleanVal, 20}, {cleanTest, 30}} {
		for i := range list.n {
			lists[list.name] += key(k) + "\n"
			if list.name == noisyTrain || i%2 == 0 {
				lists[noisyLabels] += fmt.Sprintf("%s %d\n", key(k), (k+1)%3)
			}
			if list.name != noisyTrain {
				lists[cleanLabels] += fmt.Sprintf("%s %d\n", key(k), k%3)
			}
			k++
		}
	}
	for name, text := range lists {
		datasettest.Put(t, filepath.Join(root, name), text)
	}
	// One file for each colour, under as many names as there are images.
	colours := t.TempDir()
	for i := range k {
		v := shade(i)
		file, path := filepath.Join(colours, fmt.Sprint(v)), filepath.Join(root, key(i))
		if _, err := os.Stat(file); err != nil {
			datasettest.Put(t, file, datasettest.PNG(t, 40+int(v)%11, 30+int(v)%31, color.NRGBA{v, 10, 20, 255}))
		}
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.OK(t, os.Link(file, path))
	}
}

func shade(k int) byte { return byte(k * 7) }

// shades reads the red of images, size at a time, and checks that the squares are
// of one colour.
func shades(t *testing.T, images dataset.Images, rows []int64, size int) (reds []byte) {
	t.Helper()
	const n = clothingSide * clothingSide
	for pixels, err := range images.Batches(rows, size) {
		expect.OK(t, err)
		if left := len(rows) - len(reds); len(pixels) != min(size, left)*3*n {
			t.Fatalf("a batch of %d bytes with %d images left and %d a batch", len(pixels), left, size)
		}
		for square := range slices.Chunk(pixels, 3*n) {
			red, green := square[0], square[n]
			if square[n-1] != red || square[n/2] != red || square[2*n-1] != green {
				t.Fatalf("image %d is not of one colour", len(reds))
			}
			reds = append(reds, red)
		}
	}
	return reds
}

func TestClothing1M(t *testing.T) {
	work, _ := datasettest.Isolate(t)
	root := filepath.Join(work, "data", "clothing1m")
	writeClothes(t, root, many)
	for name, train := range map[string]struct{ first, n, turn int }{"clothing1m": {0, many, 1},
		"clothing1m-clean": {many, 40, 0}} {
		d := expect.Got(Open(name, dataset.Options{}))(t)
		expect.Same(t, name, d.Name)
		expect.Same(t, []string{"T-Shirt", "Down Coat", "Vest"}, d.Classes)
		for _, split := range []struct {
			what     string
			s        dataset.Split
			first, n int
			turn     int
		}{{"train", d.Train, train.first, train.n, train.turn}, {"validation", d.Validation, many + 40, 20, 0},
			{"test", d.Test, many + 60, 30, 0}} {
			expect.Same(t, split.n, split.s.Len(), name, split.what)
			expect.Same(t, []int{3, 256, 256}, split.s.Shape, name, split.what)
			rows, want := make([]int64, split.n), make([]byte, split.n)
			for i := range rows {
				row := (i*13 + 5) % split.n // a permutation: no size is a multiple of 13
				rows[i], want[i] = int64(row), shade(split.first+row)
				expect.Same(t, (split.first+row+split.turn)%3, split.s.Labels[row], name, split.what, row)
			}
			expect.Same(t, want, shades(t, split.s.Images, rows, 32), name, split.what)
		}
		if name == "clothing1m-clean" { // its labels are true: there is no T
			expect.Same(t, nil, d.Pairs)
		} else if len(d.Pairs) != 20 || d.Pairs[0] != [2]int{many % 3, (many + 1) % 3} ||
			d.Pairs[19] != [2]int{(many + 38) % 3, (many + 39) % 3} {
			t.Errorf("%s: pairs %v", name, d.Pairs)
		}
		wantFiles := map[string]int{"clothing1m": 7, "clothing1m-clean": 6}[name]
		if len(d.Files) != wantFiles || len(d.Files[0].SHA256) != 64 {
			t.Errorf("%s was read from %v, want %d files", name, d.Files, wantFiles)
		}
		expect.Same(t, nil, d.Train.Images.Bad())
	}
}

// Each fault is one error that names the file and the line.
func TestClothing1MRefuses(t *testing.T) {
	datasettest.Isolate(t)
	root := t.TempDir()
	writeClothes(t, root, few)
	edit := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	for _, test := range []struct {
		name, file string
		edit       func(string) string
		want       string
	}{
		{"no label", noisyLabels, edit(key(7)+" 2\n", ""), noisyTrain + ":8: " + key(7) + " has no label in " + noisyLabels},
		{"label too large", noisyLabels, edit(key(1)+" 2", key(1)+" 3"), noisyLabels + ":2: label \"3\" of " + key(1) +
			", want a whole number in [0, 3)"},
		{"no key", noisyLabels, edit(key(1)+" 2", "2"), noisyLabels + ":2: \"2\": want a key, a space and a label"},
		{"two labels", noisyLabels, edit(key(1)+" 2", key(0)+" 2"), noisyLabels + ":2: a second label for " + key(0)},
		{"key twice", noisyTrain, edit(key(8), key(5)), noisyTrain + ":9: " + key(5) + " is listed twice"},
		{"test in train", cleanTrain, edit(key(few+3), key(few+61)), cleanTrain + ":4: " + key(few+61) + " is also in " +
			cleanTest},
		{"way out", noisyTrain, edit(key(3), "images/../../secret.jpg"), noisyTrain +
			":4: \"images/../../secret.jpg\" leads out"},
		{"empty list", cleanTest, func(string) string { return "\n\n" }, cleanTest + " has no keys"},
		{"no text", clothingNames, func(string) string {
			return "T-\xff\nVest\n"
		}, clothingNames + ": not UTF-8 text: 0xff at byte 2, counted from 0: convert it (iconv "},
		{"one class", clothingNames, func(string) string { return "Vest\n" }, clothingNames + ": 1 classes"},
		{"class twice", clothingNames, func(string) string {
			return "Vest\nSuit\nVest\n"
		}, clothingNames + ":3: the class \"Vest\" is listed twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(root, test.file)
			text := expect.Got(os.ReadFile(path))(t)
			datasettest.Put(t, path, test.edit(string(text)))
			defer datasettest.Put(t, path, string(text))
			expect.Says(t, expect.Err(Open("clothing1m", dataset.Options{Root: root})), "dataset: clothing1m: "+root, test.want)
		})
	}
}

func TestClothing1MMissing(t *testing.T) {
	datasettest.Isolate(t)
	_, err := Open("clothing1m-clean", dataset.Options{})
	expect.Is(t, err, ErrNotFound)
	expect.Says(t, err, `the subfolder "clothing1m" of each`, cleanTrain, "send the address on request")

	root := t.TempDir()
	writeClothes(t, root, few)
	for _, name := range []string{cleanVal, noisyLabels, clothingNames} {
		expect.OK(t, os.Remove(filepath.Join(root, name)))
	}
	_, err = Open("clothing1m", dataset.Options{Root: root})
	expect.Is(t, err, fs.ErrNotExist)
	expect.Says(t, err, filepath.Join(root, "noisy_label_kv.txt"), "unpack all of its annotations there")

	// A folder without its images fails before any training.
	root = t.TempDir()
	writeClothes(t, root, few)
	expect.OK(t, os.Rename(filepath.Join(root, "images"), filepath.Join(root, "pictures")))
	_, err = Open("clothing1m", dataset.Options{Root: root})
	expect.Says(t, err, "damaged images: 1 are missing or do not decode so far: fix them, or allow more with "+
		"--max-bad: "+key(few+40)+": file does not exist")
}
