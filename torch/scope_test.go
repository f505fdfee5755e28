package torch_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestScopeFrees(t *testing.T) {
	torchtest.NoLeak(t, func() {
		var inner, kept torch.Tensor
		torch.Scope(func() {
			torch.Scope(func() {
				inner = torch.Ones(f32, 4)
				kept = inner.AddScalar(1).Keep()
				torch.Scope(func() { inner.MulScalar(2) })
			})
			torchtest.Equal(t, "sum of the kept tensor", kept.Sum().Item(), 8)
			e := torchtest.Raises(t, torch.StaleHandle, func() { kept.Add(inner) })
			if want := "torch: add [4] float32 " + device.String() + ", ended tensor: tensor used after its scope ended"; e.Error() != want {
				t.Errorf("got %q, want %q", e, want)
			}
		})
		torchtest.Raises(t, torch.StaleHandle, func() { kept.Sum() })
		if e := torchtest.Raises(t, torch.StaleHandle, func() { tensor{}.Sum() }); !strings.Contains(e.Error(), "zero Tensor") {
			t.Errorf("%v does not say that the tensor was never made", e)
		}
	})
}

func TestFreeAndReuse(t *testing.T) {
	torchtest.NoLeak(t, func() {
		old := torch.Ones(f32, 2)
		old.Free()
		for range 1000 { // the slot comes back under another generation
			torch.Scope(func() { torch.Zeros(f32, 2) })
		}
		torchtest.Raises(t, torch.StaleHandle, func() { old.Sum() })
	})
}

// Nothing is recorded inside NoGrad, and recording goes on after it, after a panic too; the scope in it has ended.
func TestNoGradIsRestored(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := leaf(1)
		torchtest.Raises(t, torch.Shape, func() {
			torch.NoGrad(func() {
				if torch.GradEnabled() || x.MulScalar(2).RequiresGrad() {
					t.Error("recording inside NoGrad")
				}
				torch.Scope(func() { torch.Ones(f32, 2).Add(torch.Ones(f32, 3)) })
			})
		})
		if !torch.GradEnabled() || !x.MulScalar(2).RequiresGrad() {
			t.Error("NoGrad was not undone after a panic")
		}
	})
}

// Sixteen goroutines use the handle table at once: each in scopes of its own, all of
// them with one shared tensor, and with a tensor that has ended. go test -race looks at Go's side, "make test-sanitizers" at C++'s.
func TestHandlesInParallel(t *testing.T) {
	defer torchtest.Level(t)()
	const workers, rounds = 16, 200
	shared := torchtest.FromSlice([]float64{3, 4})
	var ended tensor
	torch.Scope(func() { ended = shared.Clone() })
	var waiting sync.WaitGroup
	faults := make(chan error, workers)
	for w := range workers {
		waiting.Go(func() {
			faults <- torch.Try(func() error {
				for round := range rounds {
					var kept tensor
					var fault error
					torch.Scope(func() {
						own := torch.Full(float64(w*rounds+round), f64, 5)
						sum := own.Add(shared.Select(0, 1))
						torch.Scope(func() { kept = sum.Clone().Keep() })
						if got, want := kept.Select(0, 2).Item(), float64(w*rounds+round+4); got != want {
							fault = fmt.Errorf("worker %d reads %v, want %v", w, got, want)
						}
						if err := torch.Try(func() error { ended.Add(own); return nil }); !torch.IsKind(err, torch.StaleHandle) {
							fault = fmt.Errorf("an ended tensor: %w", err)
						}
					})
					if fault != nil {
						return fault
					}
				}
				return nil
			})
		})
	}
	waiting.Wait()
	close(faults)
	for err := range faults {
		if err != nil {
			t.Error(err)
		}
	}
	shared.Free()
}

// Of two goroutines that free one tensor at the same moment, one finds it gone. They
// meet before each of many, for the moment is short.
func TestFreeInParallel(t *testing.T) {
	defer torchtest.Level(t)()
	const rounds, each = 10, 1000
	for range rounds {
		contested := make([]tensor, each)
		for i := range contested {
			contested[i] = torch.Zeros(f32)
		}
		var waiting sync.WaitGroup
		var arrived, freed, gone atomic.Int64
		for range 2 {
			waiting.Go(func() {
				for i, c := range contested {
					arrived.Add(1)
					for spins := 1; arrived.Load() < 2*int64(i+1); spins++ {
						if spins%1000 == 0 {
							runtime.Gosched()
						}
					}
					switch err := torch.Try(func() error { c.Free(); return nil }); {
					case err == nil:
						freed.Add(1)
					case torch.IsKind(err, torch.StaleHandle):
						gone.Add(1)
					}
				}
			})
		}
		waiting.Wait()
		if freed.Load() != each || gone.Load() != each {
			t.Fatalf("of %d tensors %d were freed and %d found gone", each, freed.Load(), gone.Load())
		}
	}
}
