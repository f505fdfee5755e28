package run

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// oneRun is a small run on the digits below dir.
func oneRun(t *testing.T, dir string, more ...string) config.Config {
	t.Helper()
	c := configtest.Load(t, "dataset: mnist\nbatch_size: 32\nepochs: 2\nnoise: {kind: asymmetric, level: .3}\n",
		more...)[0]
	c.Device, c.Data = "cpu", filepath.Join(dir, "data")
	return c
}

func offline() *Pipeline { return &Pipeline{opt: dataset.Options{Offline: true}} }

// draws returns the first draws of each of a run's random streams, as text.
func draws(t *testing.T, p *Pipeline, c config.Config) map[string]string {
	t.Helper()
	out := map[string]string{}
	within(t, p, c, func(r *run) {
		withLoss(t, r, "")
		run := r.training()
		out["noise"] = fmt.Sprint(r.noisy)
		var places []int // places among the examples, which have their own stream
		for _, row := range sorted(run.Data.Validation) {
			places = append(places, slices.Index(r.rows(), row))
		}
		slices.Sort(places)
		out["split"] = fmt.Sprint(places)
		out["shuffle"] = fmt.Sprint(rand.New(run.Random.Shuffle).Perm(100))
		out["init"] = fmt.Sprint(torch.Slice[float64](run.Model.Parameters()[0].Tensor)[:100])
		out["dropout"] = fmt.Sprint(torch.Slice[float64](run.Random.Dropout.Uniform(0, 1, torch.Options{}, 100)))
		out["examples"] = fmt.Sprint(r.rows())
		out["test examples"] = fmt.Sprint(torch.Slice[int64](run.Data.Test.Index))
		if run.Random.Augment != nil {
			out["augment"] = fmt.Sprint(torch.Slice[float64](run.Random.Augment.Uniform(0, 1, torch.Options{}, 100)))
		}
	})
	return out
}

func sorted(s train.Set) []int { return slices.Sorted(slices.Values(torch.Slice[int](s.Index))) }

// Each stream of a run depends on the seed and on nothing else: another seed changes every stream; the same seed with
// another loss changes none.
func TestSeedDecidesEachStream(t *testing.T) {
	dir, p := smallDigits(t)
	datatest.CIFAR(t, filepath.Join(dir, "data", "cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	for _, settings := range [][]string{
		{"examples={train: 200, test: 20}"},
		{"dataset=cifar10", "batch_size=10", "examples={train: 60, test: 10}", "augment=crop-flip"},
	} {
		one := draws(t, p, oneRun(t, dir, append(settings, "seed=1")...))
		if n := 7 + len(settings)/4; len(one) != n {
			t.Fatalf("%d streams, want %d", len(one), n)
		}
		for _, loss := range []string{"forward", "unhinged"} {
			again := draws(t, p, oneRun(t, dir, append(settings, "seed=1", "loss="+loss)...))
			for name, text := range one {
				if again[name] != text {
					t.Errorf("%s differs between cross-entropy and %s of one seed", name, loss)
				}
			}
		}
		two := draws(t, p, oneRun(t, dir, append(settings, "seed=2")...))
		for name, text := range one {
			if two[name] == text {
				t.Errorf("%s: seeds 1 and 2 draw the same", name)
			}
			for other, same := range one {
				if other != name && same == text {
					t.Errorf("%s and %s draw the same", name, other)
				}
			}
		}
	}
}

// An -estimated loss trains on T-hat: the configured estimator's result for the cross-entropy network's outputs on all
// training and validation examples.
func TestEstimatedLossTakesTHat(t *testing.T) {
	dir, p := smallDigits(t)
	root := filepath.Join(dir, "runs")
	seen := map[string]string{}
	for _, estimator := range []string{
		"{name: percentile, quantile: .97, kappa: 0, average: 0}", "{name: percentile, quantile: .8, kappa: 0, average: 0}",
		"{name: argmax, quantile: 0, kappa: 0, average: 0}", "{name: class-quantile, quantile: 0, kappa: .3, average: 5}",
		"{name: class-quantile, quantile: 0, kappa: .7, average: 5}",
		"{name: class-quantile, quantile: 0, kappa: .3, average: 1}",
		"{name: vertices, quantile: 0, kappa: .3, average: 30}",
	} {
		c := oneRun(t, dir, "loss=forward-estimated", "estimator="+estimator)
		first, _ := c.Prerequisite()
		if first.ID() != oneRun(t, dir).ID() {
			t.Fatal("estimators need different cross-entropy runs")
		}
		if len(seen) == 0 {
			finish(t, p, root, first)
		}
		within(t, p, c, func(r *run) {
			withLoss(t, r, root)
			found := r.t
			model := expect.Got(r.firstModel())(t)
			logits := expect.Got(train.Logits(model, r.set(r.rows()), 32))(t)
			want, err := estimators.Estimate(r.source.Classes, logits, r.noisy, estimators.Options{
				Name: c.Estimator.Name, Quantile: c.Estimator.Quantile, Kappa: c.Estimator.Kappa, Average: c.Estimator.Average,
			})
			expect.OK(t, err)
			if d := correction.RowError(found, want.T); d > 1e-6 {
				t.Errorf("%s: T-hat is %v off the estimate on all examples", estimator, d)
			}
			if d := correction.RowError(found, r.nominal); d < 1e-3 {
				t.Errorf("%s: T-hat is the true T", estimator)
			}
			text := fmt.Sprint(found.Rows())
			if other, twice := seen[text]; twice {
				t.Errorf("%s and %s have the same T-hat", estimator, other)
			}
			seen[text] = estimator
		})
	}
	for _, loss := range []string{"forward", "backward"} {
		c := oneRun(t, dir, "loss="+loss+"-estimated")
		within(t, p, c, func(r *run) {
			logits := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 40, 10)
			y := r.labels.Narrow(0, 0, 40)
			withLoss(t, r, root)
			got := r.loss.Apply(logits, y).Item()
			for what, matrix := range map[string]*correction.Matrix{"T-hat": r.t, "T": r.nominal} {
				known := expect.Got(c.LossEntry().New(matrix, losses.Options{Clip: c.Clip}))(t)
				if same := known.Apply(logits, y).Item() == got; same != (what == "T-hat") {
					t.Errorf("%s: loss %v, with %s it is %v", c.Loss, got, what, known.Apply(logits, y).Item())
				}
			}
		})
	}
}

// Milestones divide the rate by ten; linear is constant for half of the epochs, then falls to 0.
func TestScheduleOfSettings(t *testing.T) {
	torchtest.Open(t)
	c := oneRun(t, t.TempDir(), "epochs=4", "optimizer={learning_rate: .5, milestones: [1, 3]}")
	rates := func() (out []float64) {
		for epoch := range 4 {
			out = append(out, schedule(c)(epoch))
		}
		return out
	}
	torchtest.Near(t, "steps", rates(), []float64{.5, .05, .05, .005}, 1e-12)
	c.Optimizer.Schedule = "linear"
	torchtest.Near(t, "linear", rates(), []float64{.5, .5, .375, .125}, 1e-12)
}

// The penalty of the validation loss is half of the weight decay, if enabled.
func TestPenaltyOfSettings(t *testing.T) {
	dir, p := smallDigits(t)
	for penalty, want := range map[bool]float64{true: .001, false: 0} {
		c := oneRun(t, dir, fmt.Sprintf("validation.penalty=%v", penalty), "optimizer.weight_decay=.002")
		within(t, p, c, func(r *run) {
			expect.Same(t, want, withCrossEntropy(t, r).training().Penalty, fmt.Sprint(penalty))
		})
	}
}

// smallDigits returns a folder with a small data set, and a pipeline for it.
func smallDigits(t *testing.T) (dir string, p *Pipeline) {
	t.Helper()
	torchtest.Open(t)
	dir, p = t.TempDir(), offline()
	t.Cleanup(p.free)
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 300, 50)
	return dir, p
}
