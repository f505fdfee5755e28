package losses_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// trainedOn returns the loss of training of logits z [N C], whose examples have these targets.
func trainedOn(t *testing.T, name string, z torch.Tensor, rows []int64, targets []float32, clip float64) torch.Tensor {
	t.Helper()
	o := double
	o.Clip, o.Targets, o.Rows = clip, targets, len(targets)/z.Size(1)
	return train(newLoss(t, name, goldenT(z.Size(1)), o), z, losses.Batch{Rows: torch.FromSlice(rows)})
}

// With one-hot targets soft is cross-entropy, whatever the scale of the rows.
func TestSoftEqualsCrossEntropy(t *testing.T) {
	defer torchtest.Scoped(t)()
	rng := rand.New(rand.NewPCG(31, 32))
	z := normal(rng, 2, 3, 4)
	rows, targets := []int64{4, 0, 2}, make([]float32, 5*4)
	targets[4*4+1], targets[0*4+3], targets[2*4+0] = 1, 7, .5
	targets[1*4], targets[3*4] = 1, 1
	labels := torch.FromSlice([]int64{1, 3, 0})
	got := trainedOn(t, "soft", z, rows, targets, 0)
	torchtest.Close(t, "soft", got, []float64{z.CrossEntropy(labels).Item()}, 1e-12)

	copy(targets[2*4:], []float32{.5, 0, .5, 0}) // half of both
	both := z.CrossEntropy(labels).Add(z.CrossEntropy(torch.FromSlice([]int64{1, 3, 2})))
	torchtest.Close(t, "soft", trainedOn(t, "soft", z, rows, targets, 0), []float64{both.Item() / 2}, 1e-12)
}

// An example without targets moves nothing.
func TestZeroTargets(t *testing.T) {
	defer torchtest.Scoped(t)()
	z := normal(rand.New(rand.NewPCG(35, 36)), 2, 2, 3)
	for name, clips := range map[string][]float64{"soft": {0, .05}, "answers": {0}} {
		for _, clip := range clips {
			x := z.Detach().SetRequiresGrad(true)
			loss := trainedOn(t, name, x, []int64{1, 0}, []float32{.2, .5, .3, 0, 0, 0}, clip)
			gradient := torch.Slice[float64](torch.Grad(loss, []torch.Tensor{x}, false)[0])
			for k, v := range gradient[:3] {
				if math.Abs(v) > 1e-7 || gradient[3+k] == 0 {
					t.Errorf("%s, clip %v: gradient %v, want zeros for the first example only", name, clip, gradient)
					break
				}
			}
		}
	}
}

// With columns of T as targets, answers is forward correction; with two people it uses both at once.
func TestAnswersEqualsForward(t *testing.T) {
	defer torchtest.Scoped(t)()
	rng := rand.New(rand.NewPCG(33, 34))
	const n, c = 5, 3
	m, z := goldenT(c), normal(rng, 2, n, c)
	labels := []int64{2, 0, 1, 1, 2}
	var targets, twice []float32
	sums := 0. // of the columns: targets are divided by them
	for _, y := range labels {
		for k := range c {
			v := m.At(k, int(y))
			targets, twice = append(targets, float32(v)), append(twice, float32(v*v))
		}
		sums += math.Log(m.At(0, int(y))+m.At(1, int(y))+m.At(2, int(y))) / n
	}
	rows := []int64{0, 1, 2, 3, 4}
	want := losses.NewForward(m, double).Apply(z, torch.FromSlice(labels)).Item()
	torchtest.Close(t, "answers", trainedOn(t, "answers", z, rows, targets, 0), []float64{want + sums}, 1e-5)
	q := torch.FromSlice(twice, n, c).To(double.Options)
	joint := z.Softmax(1).Mul(q.Div(q.SumKeep(1))).Sum(1).Log().Mean().Neg()
	torchtest.Close(t, "two answers", trainedOn(t, "answers", z, rows, twice, 0), []float64{joint.Item()}, 1e-5)
}
