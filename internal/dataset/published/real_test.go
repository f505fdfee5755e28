package published

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// openReal opens a data set that is not in the repository, and skips the test
// where $LOSSCORR_DATA does not have it.
func openReal(t *testing.T, name string) *dataset.Dataset {
	t.Helper()
	root := os.Getenv("LOSSCORR_DATA")
	if root == "" {
		t.Skip("LOSSCORR_DATA is not set")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", os.Getenv("XDG_CACHE_HOME"))
	d, err := Open(name, dataset.Options{Root: root})
	if errors.Is(err, ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func perClass(s dataset.Split, classes int) []int {
	counts := make([]int, classes)
	for _, y := range s.Labels {
		counts[y]++
	}
	return counts
}

func TestRealIMDB(t *testing.T) {
	d := openReal(t, "imdb")
	for _, s := range []dataset.Split{d.Train, d.Test} {
		if got := perClass(s, 2); !slices.Equal(got, []int{12500, 12500}) {
			t.Errorf("reviews by class %v, want 12500 each", got)
		}
		if got := slices.Max(s.Tokens); got != 4999 {
			t.Errorf("largest id %d, want 4999", got)
		}
		if slices.Contains(s.Tokens, dataset.IDFrom) {
			t.Errorf("id %d is used", dataset.IDFrom)
		}
	}
	// The head of keras.datasets.imdb.get_word_index, ids 4 and on.
	if got, want := d.Words[4:18], strings.Fields("the and a of to is br in it i this that was as"); !slices.Equal(got, want) {
		t.Errorf("commonest words %q, want %q", got, want)
	}
	if len(d.Words) != 5000 {
		t.Errorf("%d words, want 5000", len(d.Words))
	}
}

// keras.datasets.imdb.load_data(), the first training review: "this film was just brilliant casting ..."
var kerasReview = []int32{1, 14, 22, 16, 43, 530, 973, 1622, 1385, 65, 458, 4468, 66, 3941, 4, 173, 36, 256, 5, 25,
	100, 43, 838, 112, 50, 670, 2, 9, 35, 480, 284, 5, 150, 4, 172, 112, 167, 2, 336, 385, 39, 4, 172, 4536, 1111, 17,
	546, 38, 13, 447, 4, 192, 50, 16, 6, 147, 2025, 19, 14, 22, 4, 1920, 4613, 469, 4, 22, 71, 87, 12, 16, 43, 530, 38,
	76, 15, 13, 1247, 4, 22, 17, 515, 17, 12, 16, 626, 18, 2, 5, 62, 386, 12, 8, 316, 8, 106, 5, 4, 2223, 5244, 16, 480,
	66, 3785, 33, 4, 130, 12, 16, 38, 619, 5, 25, 124, 51, 36, 135, 48, 25, 1415, 33, 6, 22, 12, 215, 28, 77, 52, 5, 14,
	407, 16, 82, 2, 8, 4, 107, 117, 5952, 15, 256, 4, 2, 7, 3766, 5, 723, 36, 71, 43, 530, 476, 26, 400, 317, 46, 7, 4,
	2, 1029, 13, 104, 88, 4, 381, 15, 297, 98, 32, 2071, 56, 26, 141, 6, 194, 7486, 18, 4, 226, 22, 21, 134, 476, 26,
	480, 5, 144, 30, 5535, 18}

// Our words and counts are those of Keras: each of its ids is that of a word
// which is as frequent as ours in its place. Only the order of equally frequent
// words is open.
func TestRealIMDBAgainstKeras(t *testing.T) {
	d := openReal(t, "imdb")
	s, err := archive.Open(d.Files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	tokens, parts, err := readReviews(s)
	if err != nil {
		t.Fatal(err)
	}
	counts := slices.DeleteFunc(slices.Clone(tokens.Counts), func(n int) bool { return n == 0 })
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	if len(counts) != 88584 { // len(keras.datasets.imdb.get_word_index())
		t.Errorf("%d words in the training reviews, Keras has 88584", len(counts))
	}

	const begins = "this film was just brilliant casting location scenery story direction everyone's really suited"
	at := slices.IndexFunc(parts[0], func(r review) bool {
		var text []string
		for _, n := range r.numbers[:min(13, len(r.numbers))] {
			text = append(text, tokens.Words[n])
		}
		return strings.Join(text, " ") == begins
	})
	if at < 0 {
		t.Fatalf("no training review begins with %q", begins)
	}
	for k, id := range kerasReview[1:] {
		n := parts[0][at].numbers[k]
		if id == 2 { // Keras's for ids from 10,000 on in this listing
			if c := counts[10000-dataset.IDFrom-1]; tokens.Counts[n] > c {
				t.Errorf("word %d (%s) comes %d times, a rare one at most %d", k, tokens.Words[n], tokens.Counts[n], c)
			}
		} else if want := counts[id-dataset.IDFrom-1]; tokens.Counts[n] != want {
			t.Errorf("word %d (%s) comes %d times, Keras's id %d %d times", k, tokens.Words[n], tokens.Counts[n], id, want)
		}
	}

	// Mean and deviation of the lengths, with the start, without words that no
	// training review has: 234.76 and 172.911495 in many a tutorial on Keras.
	var sum, squares float64
	for _, reviews := range parts {
		for _, r := range reviews {
			length := 1.
			for _, n := range r.numbers {
				if tokens.Counts[n] > 0 {
					length++
				}
			}
			sum += length
			squares += length * length
		}
	}
	mean := sum / 50000
	deviation := math.Sqrt(squares/50000 - mean*mean)
	if math.Abs(mean-234.76) > .005 || math.Abs(deviation-172.911495) > 5e-7 {
		t.Errorf("lengths %.4f +- %.6f, Keras has 234.76 +- 172.911495", mean, deviation)
	}
}

func TestRealCIFAR10(t *testing.T) {
	d := openReal(t, "cifar10")
	if got := perClass(d.Train, 10); slices.ContainsFunc(got, func(n int) bool { return n != 5000 }) {
		t.Errorf("training images by class %v, want 5000 each", got)
	}
	if got := perClass(d.Test, 10); slices.ContainsFunc(got, func(n int) bool { return n != 1000 }) {
		t.Errorf("test images by class %v, want 1000 each", got)
	}
	// The channel means of every CIFAR-10 program; a JPEG copy keeps them.
	for channel, want := range []float64{.4914, .4822, .4465} {
		var sum float64
		for k := range d.Train.Len() {
			for _, v := range d.Train.Example(k)[channel*1024 : (channel+1)*1024] {
				sum += float64(v)
			}
		}
		if mean := sum / float64(d.Train.Len()*1024*255); math.Abs(mean-want) > .001 {
			t.Errorf("mean of channel %d is %.4f, want %.4f", channel, mean, want)
		}
	}
	if d.Variant != "" && d.Variant != "JPEG copy" {
		t.Errorf("variant %q", d.Variant)
	}
}
