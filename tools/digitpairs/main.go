// Command digitpairs makes a data set of 100 classes from MNIST, where CIFAR-100 is not at
// hand: two digits side by side, whose class is their number from 00 to 99. As CIFAR-100 it has
// 500 images of a class for training and 100 for the test. Digits for training come from
// MNIST's training images, those for the test from its test images.
//
//	go run ./tools/digitpairs --out runs/digit-pairs/data
//
// writes X.npy [50000 1568] and X_test.npy [10000 1568] in bytes, y.csv and y_test.csv with
// column label, and asymmetric-0.2.csv and asymmetric-0.6.csv: a T with noise within
// super-classes, as on CIFAR-100. The ten pairs with the same first digit are a super-class;
// a flip goes to the pair with the next second digit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
)

const (
	digits = 10
	side   = 28 // pixels
)

func main() {
	data := flag.String("data", "data", "folder with MNIST")
	out := flag.String("out", "", "folder to write to")
	flag.Parse()
	if err := run(context.Background(), *data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "digitpairs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, out string) error {
	if out == "" {
		return errors.New("name a folder with --out")
	}
	mnist, err := published.OpenContext(ctx, "mnist", dataset.Options{Root: data, Offline: true})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(100, 1))
	for _, part := range []struct {
		suffix string
		split  dataset.Split
		each   int // images of a class
	}{{"", mnist.Train, 500}, {"_test", mnist.Test, 100}} {
		images, labels := pairs(part.split, part.each, rng)
		if err := npy.WriteBytes(filepath.Join(out, "X"+part.suffix+".npy"), images, 2*side*side); err != nil {
			return err
		}
		lines := "label\n" + strings.Join(labels, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(out, "y"+part.suffix+".csv"), []byte(lines), 0o644); err != nil {
			return err
		}
	}
	for _, level := range []float64{.2, .6} {
		t, err := withinTens(level)
		if err != nil {
			return err
		}
		if err := t.WriteCSV(filepath.Join(out, fmt.Sprintf("asymmetric-%g.csv", level))); err != nil {
			return err
		}
	}
	return nil
}

// pairs returns images of each class, drawn with replacement from the digits of split, in
// random order, and their labels.
func pairs(split dataset.Split, each int, rng *rand.Rand) (images []byte, labels []string) {
	var rows [digits][]int
	for k, digit := range split.Labels {
		rows[digit] = append(rows[digit], k)
	}
	order := rng.Perm(digits * digits * each)
	images, labels = make([]byte, 2*side*side*len(order)), make([]string, len(order))
	for n, at := range order {
		class := n / each
		for half, digit := range []int{class / digits, class % digits} {
			digit := split.Example(rows[digit][rng.IntN(len(rows[digit]))])
			for y := range side {
				copy(images[(at*side+y)*2*side+half*side:], digit[y*side:(y+1)*side])
			}
		}
		labels[at] = name(class)
	}
	return images, labels
}

func name(class int) string { return fmt.Sprintf("%02d", class) }

// withinTens is asymmetric noise of a level within super-classes.
func withinTens(level float64) (*correction.Matrix, error) {
	var classes []string
	var flips []correction.Flip
	for class := range digits * digits {
		classes = append(classes, name(class))
		flips = append(flips, correction.Flip{From: name(class), To: name(class/digits*digits + (class+1)%digits)})
	}
	return correction.Asymmetric(classes, level, flips)
}
