package train

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// newRun is a run on random numbers for a network of the given inputs.
func newRun(t *testing.T, dir string, inputs int) (*Run, *[]string) {
	t.Helper()
	model, err := models.MLP{Inputs: inputs, Classes: 3}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "he_normal"})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := correction.Identity([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	g := torch.NewGenerator(1, torch.CPU)
	long := torch.Options{DType: torch.Int64}
	set := Set{X: g.Uniform(0, 1, torch.Options{}, 40, 4), Y: g.Integers(0, 3, long, 40), Index: torch.Arange(0, 40, 1, long)}
	warnings := &[]string{}
	return &Run{
		Model: model, Loss: losses.NewForward(identity, losses.Options{}),
		Optimizer: optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters()),
		Data:      Data{Train: set, Validation: set, Test: set}, Epochs: 4, Batch: 10,
		Shuffle: rand.NewPCG(2, 0), Dropout: torch.NewGenerator(3, torch.CPU),
		Checkpoints: dir, Identity: "one",
		Warn: func(err error) { *warnings = append(*warnings, err.Error()) },
	}, warnings
}

// A checkpoint of another network or of another run is refused by name.
func TestForeignCheckpoint(t *testing.T) {
	torchtest.NoLeak(t, func() {
		dir := t.TempDir()
		r, _ := newRun(t, dir, 4)
		if _, err := r.Train(context.Background()); err != nil {
			t.Fatal(err)
		}
		wider, _ := newRun(t, dir, 5)
		_, err := wider.Train(context.Background())
		if err == nil || !strings.Contains(err.Error(), LastFile) || !strings.Contains(err.Error(), "[128 5]") ||
			!strings.Contains(err.Error(), "move it away to start again") {
			t.Errorf("another network: %v", err)
		}
		renamed, _ := newRun(t, dir, 4)
		renamed.Identity = "two"
		if _, err := renamed.Train(context.Background()); err == nil || !strings.Contains(err.Error(), "of run one, this is run two") {
			t.Errorf("another run: %v", err)
		}
	})
}

// Whatever byte of a checkpoint is changed, it is not taken for whole, and the
// one before it is kept until there is another whole one.
func TestDamagedCheckpoint(t *testing.T) {
	torchtest.NoLeak(t, func() {
		dir := t.TempDir()
		r, _ := newRun(t, dir, 4)
		want, err := r.Train(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		last, previous := filepath.Join(dir, LastFile), filepath.Join(dir, PreviousFile)
		whole, err := os.ReadFile(last)
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(previous)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 0))
		for range 60 {
			at := rng.IntN(len(whole))
			damaged := append([]byte(nil), whole...)
			damaged[at] ^= 1 << rng.IntN(8)
			for path, data := range map[string][]byte{last: damaged, previous: before} {
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r, warnings := newRun(t, dir, 4)
			s := newState(r)
			if err := s.resume(); err != nil {
				t.Fatalf("byte %d: %v", at, err)
			}
			if len(*warnings) != 1 || !strings.Contains((*warnings)[0], LastFile) {
				t.Fatalf("byte %d of %d: warnings %q, want one that names %s", at, len(whole), *warnings, LastFile)
			}
			if s.Epoch != 3 {
				t.Fatalf("byte %d: resumes after epoch %d, want 3", at, s.Epoch)
			}
			if err := s.checkpoint(); err != nil {
				t.Fatal(err)
			}
			if kept, err := os.ReadFile(previous); err != nil || string(kept) != string(before) {
				t.Fatalf("byte %d: the damaged checkpoint has replaced the whole one (%v)", at, err)
			}
		}
		again, _ := newRun(t, dir, 4)
		got, err := again.Train(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got.Last.Seconds, want.Last.Seconds, got.Selected.Seconds, want.Selected.Seconds = 0, 0, 0, 0
		for _, epochs := range [][]metrics.Epoch{got.Epochs, want.Epochs} {
			for i := range epochs {
				epochs[i].Seconds = 0
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("ended with %+v, want %+v", got, want)
		}
	})
}

// A checkpoint of another kind of device is resumed: weights, optimizer and place are
// its own, the streams start again from seeds of their states, and the result warns.
// The kind is faked: what a GPU's stream writes is as long as nothing a CPU's reads.
func TestCheckpointOfAnotherDevice(t *testing.T) {
	torchtest.NoLeak(t, func() {
		resumed := func(dir string) (*state, Summary, []string) {
			r, warnings := newRun(t, dir, 4)
			s := newState(r)
			if err := s.resume(); err != nil {
				t.Fatal(err)
			}
			again, _ := newRun(t, dir, 4)
			again.Epochs = 5
			outcome, err := again.Train(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return s, outcome, *warnings
		}
		dirs := []string{t.TempDir(), t.TempDir()}
		for i, dir := range dirs {
			r, _ := newRun(t, dir, 4)
			if _, err := r.Train(context.Background()); err != nil {
				t.Fatal(err)
			}
			s := newState(r)
			if err := s.resume(); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				torch.Scope(func() {
					all, metadata, err := torch.LoadSafetensors(s.path(LastFile))
					if err != nil {
						t.Fatal(err)
					}
					p, err := decode(metadata[positionKey])
					if err != nil {
						t.Fatal(err)
					}
					if p.Device != "cpu" {
						t.Errorf("the checkpoint is of the device %q, want cpu", p.Device)
					}
					p.Device, p.Dropout = "cuda", make([]byte, 32)
					text, err := encode(p)
					if err != nil {
						t.Fatal(err)
					}
					metadata[positionKey], metadata[digestKey] = text, digest(s.Identity, text, all)
					if err := torch.SaveSafetensors(s.path(LastFile), all, metadata); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
		own, _, none := resumed(dirs[0])
		other, outcome, warnings := resumed(dirs[1])
		if len(none) != 0 || own.Epoch != 4 || other.Epoch != 4 {
			t.Errorf("warnings %q, epochs %d and %d, want none, 4 and 4", none, own.Epoch, other.Epoch)
		}
		for i, p := range other.params {
			torchtest.Close(t, "a parameter", p, torch.Slice[float64](own.params[i]), 0)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], "resumed on cpu from a checkpoint made on cuda after epoch 4") {
			t.Errorf("warnings %q", warnings)
		}
		if !reflect.DeepEqual(outcome.Warnings, warnings) {
			t.Errorf("the outcome warns of %q, want %q", outcome.Warnings, warnings)
		}
		if bytes.Equal(own.Dropout.State(), other.Dropout.State()) {
			t.Error("the stream was not seeded again")
		}
		same, _, _ := resumed(dirs[1])
		if len(same.Outcome.Warnings) != 1 {
			t.Errorf("the next checkpoint has forgotten the warning: %q", same.Outcome.Warnings)
		}
	})
}
