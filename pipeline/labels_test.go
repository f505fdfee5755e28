package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/torch"
)

// Corrected labels are trained on and select the epoch; what is estimated stays by the given ones.
func TestCorrectedLabelsAreTrainedOn(t *testing.T) {
	dir, p := smallDigits(t)
	file := filepath.Join(dir, "corrected.csv")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("index,label\n7,3\n299,4\n")
	within(t, p, oneRun(t, dir, "loss=cross-entropy", "corrected="+file), func(m *material, noise *labels) {
		want := slices.Clone(noise.noisy)
		want[7], want[299] = 3, 4
		if slices.Equal(want, noise.noisy) {
			t.Fatal("the labels are those of the file by chance")
		}
		got := torch.Slice[int64](m.split(noise).Train.Y)
		if !slices.Equal(got, wide(want)) || !slices.Equal(torch.Slice[int64](m.split(noise).Validation.Y), got) {
			t.Error("the labels that are trained on are not those of the file")
		}
		share := 0.
		for _, y := range want {
			if y == 3 {
				share += 1. / 300
			}
		}
		if got := noise.shares()[3]; got < share-1e-9 || got > share+1e-9 {
			t.Errorf("share of 3 is %v, want %v", got, share)
		}
	})
	write("index,label\n300,4\n")
	within(t, p, oneRun(t, dir), func(m *material, _ *labels) {
		c := m.Config
		c.Corrected = file
		if _, err := taught(c, make([]int, 300), m.source.classes); !errors.Is(err, dataset.ErrData) {
			t.Errorf("an example that is not there: %v", err)
		}
	})
}
