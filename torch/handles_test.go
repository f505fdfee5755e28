package torch_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Sixteen goroutines use the handle table at once: each in scopes of its own, all of
// them with one shared tensor, and with a tensor that has ended. go test -race looks at Go's side, "make test-sanitizers" at C++'s.
func TestHandlesInParallel(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
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
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors before, %d after", before, after)
	}
}

// Of two goroutines that free one tensor at the same moment, one finds it gone. They
// meet before each of many, for the moment is short.
func TestFreeInParallel(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
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
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors before, %d after", before, after)
	}
}
