package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The run trains on corrected labels and selects the epoch by them; estimates use the given ones.
func TestCorrectedLabelsAreTrainedOn(t *testing.T) {
	dir, p := smallDigits(t)
	file := filepath.Join(dir, "corrected.csv")
	write := func(text string) {
		expect.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("index,label\n7,3\n299,4\n")
	within(t, p, oneRun(t, dir, "loss=cross-entropy", "corrected="+file), func(r *run) {
		want := slices.Clone(r.noisy)
		want[7], want[299] = 3, 4
		if slices.Equal(want, r.noisy) {
			t.Fatal("the labels equal the file's by chance")
		}
		got := torch.Slice[int](r.split().Train.Y)
		if !slices.Equal(got, want) || !slices.Equal(torch.Slice[int](r.split().Validation.Y), got) {
			t.Error("the run does not train on the file's labels")
		}
		threes := len(want) - len(slices.DeleteFunc(slices.Clone(want), func(y int) bool { return y == 3 }))
		torchtest.Near(t, "share of 3", r.shares()[3:4], []float64{float64(threes) / 300}, 1e-9)
	})
	write("index,label\n300,4\n")
	within(t, p, oneRun(t, dir), func(r *run) {
		c := r.Config
		c.Corrected = file
		if _, err := taught(c, make([]int, 300), r.source.Classes); !errors.Is(err, dataset.ErrData) {
			t.Errorf("a missing example: %v", err)
		}
	})
}

// A file of T names its classes, so their order in the file does not matter.
func TestFileOfTInAnotherOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "T.csv")
	expect.OK(t, os.WriteFile(file, []byte("true,zebra,cat\nzebra,0.7,0.3\ncat,0.1,0.9\n"), 0o666))
	noise := config.Noise{Kind: "matrix", File: file}
	got := expect.Got(OwnNoise(noise, []string{"cat", "zebra"}))(t)
	if got.At(0, 1) != .1 || got.At(1, 0) != .3 {
		t.Errorf("got %v of cat, zebra", got.Rows())
	}
	_, err := OwnNoise(noise, []string{"cat", "dog"})
	expect.Fails(t, err, "is for the classes zebra, cat, but the data has cat, dog", "other classes")
}
