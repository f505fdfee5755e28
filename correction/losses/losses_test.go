package losses_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Every entry describes its loss correctly.
func TestLossesAreAsTheirEntriesSay(t *testing.T) {
	defer torchtest.Scoped(t)()
	noise := expect.Got(correction.Symmetric(correctiontest.Names(3), .3))(t)
	singular := expect.Got(correction.Symmetric(correctiontest.Names(3), 2./3))(t)
	z, y := torch.FromSlice([]float32{30, 1, -30, 0, 5, 2}, 2, 3), torch.FromSlice([]int64{2, 1})
	for _, e := range losses.All {
		value := func(of *correction.Matrix, o losses.Options) float64 {
			o.Rows, o.Trusted = 2, []correction.Trusted{{Index: 0, Label: 1}}
			o.Targets = []float32{.2, .1, .7, 0, .5, .5}
			loss, err := e.New(of, o)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			z := z
			if e.Networks == 2 {
				z = torch.Stack(0, z, z.Neg())
			}
			if trainer, ok := loss.(losses.Trainer); ok {
				loss = trained{trainer}
			}
			return loss.Apply(z, y).Item()
		}
		plain := value(noise, losses.Options{})
		expect.Same(t, e.Clips, plain != value(noise, losses.Options{Clip: .1}), e.Name, "reads Clip")
		known := losses.Options{Rows: 1, Trusted: []correction.Trusted{{}}, Targets: []float32{1, 0, 0}}
		_, err := e.New(singular, known)
		if (err != nil) != e.Inverts || err != nil && !strings.Contains(err.Error(), "singular: use forward correction") {
			t.Errorf("%s of a singular T: error %v, its entry says %v", e.Name, err, e.Inverts)
		}
		_, err = e.New(noise, losses.Options{Rows: 1, Targets: []float32{1}})
		if (err != nil) != (e.Trusted || e.Targets) {
			t.Errorf("%s without known labels or targets: error %v, but %v and %v", e.Name, err, e.Trusted, e.Targets)
		}
		clean := expect.Got(correction.Identity(correctiontest.Names(3)))(t)
		expect.Same(t, e.T != losses.NoT, plain != value(clean, losses.Options{}), e.Name, "uses T")
		if e.About == "" || e.FormOf != "" && !losses.All.Has(e.FormOf) || e.T == losses.EstimatedT && e.FormOf == "" {
			t.Errorf("%s: about %q, a form of %q", e.Name, e.About, e.FormOf)
		}
		for _, s := range e.Settings {
			if !slices.Contains(losses.SettingKeys(), s.Key) || !s.Has(s.Default) || s.Default == 0 {
				t.Errorf("%s: %+v", e.Name, s)
			}
		}
	}
}

// In validation, trainers with T compute the forward-corrected loss, and others cross-entropy.
func TestValidation(t *testing.T) {
	defer torchtest.Scoped(t)()
	rng := rand.New(rand.NewPCG(83, 84))
	m := expect.Got(correction.Symmetric(correctiontest.Names(3), .3))(t)
	z, y := normal(rng, 2, 4, 3), torch.FromSlice([]int64{2, 0, 1, 1})
	forward := losses.NewForward(m, double).Apply(z, y).Item()
	for name, want := range map[string]float64{
		"reweight": forward, "resample": forward, "gold": forward, "volume-minimization": forward, "elr": z.CrossEntropy(y).Item(),
		"mixup": z.CrossEntropy(y).Item(), "co-teaching": z.CrossEntropy(y).Item(), "soft": z.CrossEntropy(y).Item(),
	} {
		o := double
		o.Rows, o.Trusted, o.Targets = 4, []correction.Trusted{{}}, make([]float32, 4*3)
		loss := newLoss(t, name, m, o)
		torchtest.Close(t, name, loss.Apply(z, y), []float64{want}, 1e-12)
		if by, ok := loss.(losses.Selector); ok { // by accuracy
			right := z.Argmax(1).Eq(y).ToDType(torch.Float64).Mean().Item()
			torchtest.Close(t, name+" in the selection", by.Selection().Apply(z, y), []float64{1 - right}, 1e-12)
		}
		if kept, ok := loss.(losses.Stateful); ok && name == "elr" {
			torchtest.Close(t, "targets after validation", kept.State()["targets"], make([]float64, 4*3), 0)
		}
	}
}

// A new loss leaves only the tensors that it needs: the table of T, and for gold the known labels and T's columns
// extended by the true labels.
func TestLossesLeaveNoTemporaries(t *testing.T) {
	defer torchtest.Scoped(t)()
	for name, want := range map[string]int{"forward": 1, "backward": 1, "gold": 3} {
		before := torch.Live()
		newLoss(t, name, goldenT(4), losses.Options{Rows: 10, Trusted: []correction.Trusted{{Index: 3, Label: 1}}})
		expect.Same(t, want, torch.Live()-before, name, "leaves tensors")
	}
}

// Importance reweighting is unbounded if a class never keeps its label.
func TestReweightRefuses(t *testing.T) {
	never := matrixOf(t, [][]float64{{1, 0, 0}, {0, 0, 1}, {0, 0, 1}})
	for _, name := range []string{"reweight", "resample"} {
		expect.Fails(t, expect.Err(losses.All.Named(name).New(never, double)), "never keeps its label")
	}
}

// Examples are drawn by p_y / (T'p)_y with replacement, and the step follows the cross-entropy of those that were drawn.
func TestResampleDraws(t *testing.T) {
	defer torchtest.Scoped(t)()
	const n, c, batches = 4, 3, 3000
	m, rng := goldenT(c), rand.New(rand.NewPCG(71, 72))
	z, labels := normal(rng, 2, n, c), []int64{0, 1, 2, 1}
	loss, p := newLoss(t, "resample", m, double).(losses.Trainer), torch.Slice[float64](z.Softmax(1))
	var want, counts [n]float64
	for i, y := range labels {
		noisy := 0.
		for j := range c {
			noisy += m.At(j, int(y)) * p[i*c+j]
		}
		want[i] = p[i*c+int(y)] / noisy
	}
	for range batches {
		torch.Scope(func() {
			x := z.Detach().SetRequiresGrad(true)
			l := loss.Train(losses.Batch{X: x, Labels: torch.FromSlice(labels), Rand: rng,
				Forward: func(x torch.Tensor) torch.Tensor { return x }})
			l.Backward()
			g, drawn := torch.Slice[float64](x.Grad()), 0.
			for i, y := range labels { // the gradient of example i is count/N (p - e_y)
				count := n * g[i*c+int(y)] / (p[i*c+int(y)] - 1)
				if math.Abs(count-math.Round(count)) > 1e-9 {
					t.Fatalf("example %d is drawn %v times", i, count)
				}
				counts[i] += count
				drawn += count
			}
			if math.Abs(drawn-n) > 1e-9 {
				t.Fatalf("%v examples are drawn of %d", drawn, n)
			}
		})
	}
	total := floats.Sum(want[:])
	for i, w := range want { // within 4 standard deviations
		share := w / total
		if got := counts[i] / (n * batches); math.Abs(got-share) > 4*math.Sqrt(share*(1-share)/(n*batches)) {
			t.Errorf("example %d is drawn with probability %.4f, want %.4f", i, got, share)
		}
	}
}

// largest is a source of random numbers as close to 1 as they get.
type largest struct{}

func (largest) Uint64() uint64 { return math.MaxUint64 }

// The largest random number draws one of the last examples, although sums of the weights in float32 differ in their last
// bits by the order of adding.
func TestResampleDrawsTheLast(t *testing.T) {
	defer torchtest.Scoped(t)()
	const n, c, batches = 128, 2, 200
	single, rng := losses.Options{Options: torch.Options{DType: torch.Float32}}, rand.New(rand.NewPCG(73, 74))
	loss, labels := newLoss(t, "resample", goldenT(c), single).(losses.Trainer), make([]int64, n)
	for range batches {
		torch.Scope(func() {
			x := normal(rng, 4, n, c).ToDType(torch.Float32).SetRequiresGrad(true)
			loss.Train(losses.Batch{X: x, Labels: torch.FromSlice(labels), Rand: rand.New(largest{}),
				Forward: func(x torch.Tensor) torch.Tensor { return x }}).Backward()
			g := torch.Slice[float32](x.Grad())
			if slices.ContainsFunc(g[:n/2*c], func(v float32) bool { return v != 0 }) {
				t.Fatalf("examples of the first half are drawn: %v", g)
			}
		})
	}
}

// A batch is mixed with a permutation of itself, by a weight with the variance of Beta(alpha, alpha), 1 / (4 (2 alpha
// + 1)). The same stream draws the same mixture.
func TestMixupDraws(t *testing.T) {
	defer torchtest.Scoped(t)()
	const n, c, batches, alpha = 6, 3, 2000, 2.
	o := double
	o.Settings.Alpha = alpha
	loss := newLoss(t, "mixup", goldenT(c), o).(losses.Trainer)
	y := torch.FromSlice([]int64{0, 1, 2, 0, 1, 2})
	drawn := func(rng *rand.Rand) (x []float64) {
		torch.Scope(func() {
			forward := func(mixed torch.Tensor) torch.Tensor {
				x = torch.Slice[float64](mixed)
				return torch.Zeros(double.Options, n, c)
			}
			loss.Train(losses.Batch{X: torch.Eye(n, double.Options), Labels: y, Rand: rng, Forward: forward})
		})
		return x
	}
	rng := rand.New(rand.NewPCG(91, 92))
	var weights []float64
	for range batches {
		x := drawn(rng)
		for i := range n { // column i: the uses of example i
			column := mat.Col(nil, i, mat.NewDense(n, n, x))
			used := floats.Count(func(v float64) bool { return v != 0 }, column)
			if math.Abs(floats.Sum(column)-1) > 1e-12 || used > 2 {
				t.Fatalf("example %d is in %d mixtures: %v", i, used, column)
			}
		}
		weight := x[0]
		if second := x[n+1]; second != 1 && weight != 1 && weight != second {
			t.Fatalf("weights %v and %v in one batch", weight, second)
		}
		if weight != 1 { // mixed with another example
			weights = append(weights, weight)
		}
	}
	mean, variance := stat.MeanVariance(weights, nil)
	if math.Abs(mean-.5) > .02 || math.Abs(variance-1/(4*(2*alpha+1))) > .005 {
		t.Errorf("the weights have mean %v and variance %v", mean, variance)
	}
	if !slices.Equal(drawn(rand.New(rand.NewPCG(1, 1))), drawn(rand.New(rand.NewPCG(1, 1)))) {
		t.Error("the same stream draws other mixtures")
	}
}
