package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// counting is a Trainer that weighs each batch by a random number and keeps, for each row, the sum of these weights.
type counting struct {
	losses.Loss
	sums   torch.Tensor
	epochs []int // of each batch
}

func (c *counting) Train(b losses.Batch) torch.Tensor {
	weight := b.Rand.Float64()
	torch.NoGrad(func() {
		c.sums.ScatterInPlace(0, b.Rows, c.sums.IndexSelect(0, b.Rows).AddScalar(weight))
	})
	c.epochs = append(c.epochs, b.Epoch)
	return c.Apply(b.Forward(b.X), b.Labels).MulScalar(weight)
}

func (c *counting) State() map[string]torch.Tensor { return map[string]torch.Tensor{"sums": c.sums} }

// remembering is a loss that keeps several tensors.
type remembering struct {
	losses.Loss
	state map[string]torch.Tensor
}

func (r remembering) State() map[string]torch.Tensor { return r.state }

// A loss lists its tensors in a fixed order, since recorded steps compare them by it.
func TestKeptHasAnOrder(t *testing.T) {
	torchtest.NoLeak(t, func() {
		tensors := map[string]torch.Tensor{}
		for i, name := range []string{"d", "a", "f", "c", "e", "b"} {
			tensors[name] = torch.Zeros(torch.Options{}, i+1)
		}
		s := &state{Run: &Run{Network: Network{Loss: remembering{state: tensors}}}}
		for range 20 {
			names := ""
			for _, p := range s.kept() {
				if names += p.Name; p.Tensor.Size(0) != tensors[p.Name].Size(0) {
					t.Fatalf("%s has another name's tensor", p.Name)
				}
			}
			if names != "abcdef" {
				t.Fatalf("kept, in order: %s, want abcdef", names)
			}
		}
	})
}

// A run with a Trainer as loss stays the same when it is stopped within an epoch and resumed: its weights, and the
// loss's draws and tensors.
func TestTrainerResumes(t *testing.T) {
	torchtest.NoLeak(t, func() {
		train := func(dir string, stopAt int) (*counting, *Run, error) {
			r, _ := newRun(t, dir, 4)
			loss := &counting{Loss: r.Loss, sums: torch.Zeros(torch.Options{}, 40)}
			r.Loss, r.Random.Loss = loss, 7
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if batches := 0; stopAt > 0 {
				r.On.Batch = func(int, int) {
					if batches++; batches == stopAt {
						cancel()
					}
				}
			}
			_, err := r.Train(ctx)
			return loss, r, err
		}
		want, whole, err := train(t.TempDir(), 0)
		expect.OK(t, err)
		expect.Same(t, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, want.epochs, "epochs of batches")
		dir := t.TempDir()
		if _, _, err := train(dir, 6); !errors.Is(err, ErrStopped) {
			t.Fatal("not stopped: ", err)
		}
		got, resumed, err := train(dir, 0)
		expect.OK(t, err)
		expect.Same(t, 10, len(got.epochs), "batches after the sixth")
		torchtest.Close(t, "what the loss keeps", got.sums, torch.Slice[float64](want.sums), 0)
		for i, p := range whole.Model.Parameters() {
			torchtest.Close(t, p.Name, resumed.Model.Parameters()[i].Tensor, torch.Slice[float64](p.Tensor), 0)
		}
		if sums := torch.Slice[float64](want.sums); len(slices.Compact(sums)) == 1 {
			t.Error("all rows have the same sum: the batches share their draws")
		}

		// The checkpoint of a run without the loss's tensors is refused.
		plain, _ := newRun(t, t.TempDir(), 4)
		expect.Got(plain.Train(t.Context()))(t)
		other := t.TempDir()
		data := expect.Got(os.ReadFile(filepath.Join(plain.Checkpoints.Dir, LastFile)))(t)
		expect.OK(t, os.WriteFile(filepath.Join(other, LastFile), data, 0o666))
		if _, _, err := train(other, 0); err == nil {
			t.Error("a checkpoint without the loss's tensors was resumed")
		}
	})
}
