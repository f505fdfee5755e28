package train

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// newRun is a run on random numbers, for a network with the given number of inputs.
func newRun(t *testing.T, dir string, inputs int) (*Run, *[]string) {
	t.Helper()
	model, err := models.MLP{Inputs: inputs, Classes: 3}.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)),
		Scheme: "he_normal"})
	expect.OK(t, err)
	identity := expect.Got(correction.Identity([]string{"a", "b", "c"}))(t)
	set := randomSet(40, 4)
	warnings := &[]string{}
	return &Run{
		Network: Network{
			Model: model, Loss: losses.NewForward(identity, losses.Options{}),
			Optimizer: optim.NewAdaGrad(optim.AdaGrad{LearningRate: .01, Epsilon: 1e-8}, model.Parameters()),
		},
		Data:        Data{Train: set, Validation: set, Test: set, Epochs: 4, Batch: 10},
		Random:      Random{Shuffle: rand.NewPCG(2, 0), Dropout: torch.NewGenerator(3, torch.CPU)},
		Checkpoints: Checkpoints{Dir: dir, Identity: "one"},
		On:          Events{Warn: func(err error) { *warnings = append(*warnings, err.Error()) }},
	}, warnings
}

// ended trains to the end.
func ended(t *testing.T, r *Run) Summary {
	t.Helper()
	out := expect.Got(r.Train(t.Context()))(t)
	out.Last.Seconds, out.Selected.Seconds = 0, 0
	for i := range out.Epochs {
		out.Epochs[i].Seconds = 0
	}
	return out
}

// randomSet has n random examples of three classes.
func randomSet(n int, shape ...int) Set {
	g, long := torch.NewGenerator(1, torch.CPU), torch.Options{DType: torch.Int64}
	x := g.Uniform(0, 1, torch.Options{}, append([]int{n}, shape...)...)
	return Set{X: x, Y: g.Integers(0, 3, long, n), Index: torch.Arange(0, float64(n), 1, long)}
}

// A checkpoint of another network or run is refused with a clear error.
func TestForeignCheckpoint(t *testing.T) {
	torchtest.NoLeak(t, func() {
		dir := t.TempDir()
		r, _ := newRun(t, dir, 4)
		ended(t, r)
		wider, _ := newRun(t, dir, 5)
		_, err := wider.Train(t.Context())
		for _, want := range []string{LastFile, "[128 5]", "move it away to start again"} {
			expect.Fails(t, err, want, "another network")
		}
		renamed, _ := newRun(t, dir, 4)
		renamed.Checkpoints.Identity = "two"
		_, err = renamed.Train(t.Context())
		expect.Fails(t, err, "of run one, this is run two", "another run")
	})
}

// Changing any byte of a checkpoint makes it damaged, and the one before it is kept until there is another intact one.
func TestDamagedCheckpoint(t *testing.T) {
	torchtest.NoLeak(t, func() {
		dir := t.TempDir()
		r, _ := newRun(t, dir, 4)
		want := ended(t, r)
		last, previous := filepath.Join(dir, LastFile), filepath.Join(dir, PreviousFile)
		whole := expect.Got(os.ReadFile(last))(t)
		before := expect.Got(os.ReadFile(previous))(t)
		rng := rand.New(rand.NewPCG(4, 0))
		for range 60 {
			at := rng.IntN(len(whole))
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << rng.IntN(8)
			for path, data := range map[string][]byte{last: damaged, previous: before} {
				expect.OK(t, os.WriteFile(path, data, 0o644))
			}
			r, warnings := newRun(t, dir, 4)
			s := newState(r)
			expect.OK(t, s.resume())
			if len(*warnings) != 1 || !strings.Contains((*warnings)[0], LastFile) || s.at.Epoch != 3 {
				t.Fatalf("byte %d: after epoch %d with warnings %q, want 3 and %s", at, s.at.Epoch, *warnings, LastFile)
			}
			expect.OK(t, s.checkpoint())
			if !bytes.Equal(before, expect.Got(os.ReadFile(previous))(t)) {
				t.Fatalf("byte %d: the damaged checkpoint replaced the intact one", at)
			}
		}
		again, _ := newRun(t, dir, 4)
		expect.Same(t, want, ended(t, again), "end")
	})
}

// A checkpoint from another kind of device is refused, since its random streams cannot go on here.
func TestCheckpointOfAnotherDevice(t *testing.T) {
	torchtest.NoLeak(t, func() {
		r, _ := newRun(t, t.TempDir(), 4)
		ended(t, r)
		s := newState(r)
		torch.Scope(func() {
			all, metadata, err := torch.LoadSafetensors(s.path(LastFile))
			expect.OK(t, err)
			p := expect.Got(decode(metadata[positionKey]))(t)
			p.Device = "cuda"
			text := expect.Got(encode(p))(t)
			metadata[positionKey], metadata[digestKey] = text, digest(s.Checkpoints.Identity, text, all)
			expect.OK(t, torch.SaveSafetensors(s.path(LastFile), all, metadata))
		})
		expect.Fails(t, s.resume(), "it was made on cuda, and this run is on cpu; move it away to start again", "resume")
	})
}
