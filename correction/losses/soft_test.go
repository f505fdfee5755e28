package losses_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// trainedOn returns the loss of training of logits z [N C], whose examples have these targets.
func trainedOn(t *testing.T, e losses.Entry, z torch.Tensor, rows []int64, targets []float32, clip float64) torch.Tensor {
	t.Helper()
	o := clipping(double, clip)
	o.Targets, o.Rows = targets, len(targets)/z.Size(1)
	loss, err := e.New(randomMatrix(t, rand.New(rand.NewPCG(1, 1)), z.Size(1)), o)
	if err != nil {
		t.Fatal(err)
	}
	if loss.Name() != e.Name {
		t.Errorf("named %s, want %s", loss.Name(), e.Name)
	}
	return loss.(losses.Trainer).Train(losses.Batch{
		X: z, Rows: torch.FromSlice(rows), Forward: func(x torch.Tensor) torch.Tensor { return x },
	})
}

// With one-hot targets soft is cross-entropy, each example with those of its row; the size of a
// row does not count.
func TestSoftEqualsCrossEntropy(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(31, 32))
		z := normal(rng, 2, 3, 4)
		rows, targets := []int64{4, 0, 2}, make([]float32, 5*4)
		targets[4*4+1], targets[0*4+3], targets[2*4+0] = 1, 7, .5
		targets[1*4], targets[3*4] = 1, 1
		labels := torch.FromSlice([]int64{1, 3, 0})
		got := trainedOn(t, losses.All.Named("soft"), z, rows, targets, 0)
		torchtest.Close(t, "soft", got, []float64{z.CrossEntropy(labels).Item()}, 1e-12)

		copy(targets[2*4:], []float32{.5, 0, .5, 0}) // half of both
		both := z.CrossEntropy(labels).Add(z.CrossEntropy(torch.FromSlice([]int64{1, 3, 2})))
		torchtest.Close(t, "soft", trainedOn(t, losses.All.Named("soft"), z, rows, targets, 0), []float64{both.Item() / 2}, 1e-12)
	})
}

// An example without targets moves nothing.
func TestZeroTargets(t *testing.T) {
	torchtest.NoLeak(t, func() {
		z := normal(rand.New(rand.NewPCG(35, 36)), 2, 2, 3)
		for _, name := range []string{"soft", "answers"} {
			clips := map[string][]float64{"soft": {0, .05}, "answers": {0}}
			for _, clip := range clips[name] {
				x := z.Detach().SetRequiresGrad(true)
				loss := trainedOn(t, losses.All.Named(name), x, []int64{1, 0}, []float32{.2, .5, .3, 0, 0, 0}, clip)
				gradient := torch.Slice[float64](torch.Grad(loss, []torch.Tensor{x}, false)[0])
				for k, v := range gradient[:3] {
					if math.Abs(v) > 1e-7 || gradient[3+k] == 0 {
						t.Errorf("%s, clip %v: gradient %v, want zeros for the first example alone", name, clip, gradient)
						break
					}
				}
			}
		}
	})
}

// With the column of T of a label answers is forward correction; with two people it is that
// by both at once.
func TestAnswersEqualsForward(t *testing.T) {
	torchtest.NoLeak(t, func() {
		rng := rand.New(rand.NewPCG(33, 34))
		const n, c = 5, 3
		m, z := randomMatrix(t, rng, c), normal(rng, 2, n, c)
		labels := []int64{2, 0, 1, 1, 2}
		var targets, twice []float32
		for _, y := range labels {
			for k := range c {
				v := m.At(k, int(y))
				targets, twice = append(targets, float32(v)), append(twice, float32(v*v))
			}
		}
		rows := []int64{0, 1, 2, 3, 4}
		forward := losses.NewForward(m, double)
		got := trainedOn(t, losses.All.Named("answers"), z, rows, targets, 0)
		want := forward.Apply(z, torch.FromSlice(labels)).Item()
		sums := 0. // of the columns: targets are divided by them
		for _, y := range labels {
			sums += math.Log(m.At(0, int(y))+m.At(1, int(y))+m.At(2, int(y))) / n
		}
		torchtest.Close(t, "answers", got, []float64{want + sums}, 1e-5)

		both := trainedOn(t, losses.All.Named("answers"), z, rows, twice, 0)
		gradient := func(loss func(x torch.Tensor) torch.Tensor) []float64 {
			x := z.Detach().SetRequiresGrad(true)
			return torch.Slice[float64](torch.Grad(loss(x), []torch.Tensor{x}, false)[0])
		}
		torchtest.Near(t, "gradient", gradient(func(x torch.Tensor) torch.Tensor {
			return trainedOn(t, losses.All.Named("answers"), x, rows, targets, 0)
		}), gradient(func(x torch.Tensor) torch.Tensor { return forward.Apply(x, torch.FromSlice(labels)) }), 1e-6)
		p, q := z.Softmax(1), torch.FromSlice(twice, n, c).To(double.Options)
		joint := p.Mul(q.Div(q.SumKeep(1))).Sum(1).Log().Mean().Neg()
		torchtest.Close(t, "two answers", both, []float64{joint.Item()}, 1e-5)
	})
}

func TestTargetsAreRequired(t *testing.T) {
	for _, name := range []string{"soft", "answers"} {
		for _, targets := range [][]float32{nil, {1, 0, 0}} {
			o := double
			o.Rows, o.Targets = 2, targets
			if _, err := losses.All.Named(name).New(randomMatrix(t, rand.New(rand.NewPCG(1, 1)), 3), o); err == nil || !strings.Contains(err.Error(), "no targets") {
				t.Errorf("%s with %v: %v", name, targets, err)
			}
		}
	}
}
