package torch_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Sixteen goroutines use the handle table at once: each in scopes of its own, all of
// them with one shared tensor, with a tensor that has ended, and two by two freeing
// the same one. go test -race looks at Go's side, "make test-sanitizers" at C++'s.
func TestHandlesInParallel(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
	const workers, rounds = 16, 200
	shared := torch.FromSlice([]float64{3, 4})
	var ended tensor
	torch.Scope(func() { ended = shared.Clone() })
	contested := make([]tensor, workers/2)
	for i := range contested {
		contested[i] = shared.Clone()
	}
	var waiting sync.WaitGroup
	var mutex sync.Mutex
	lost := 0
	faults := make(chan error, workers)
	for w := range workers {
		waiting.Go(func() {
			if torch.IsKind(torch.Try(func() error { contested[w/2].Free(); return nil }), torch.StaleHandle) {
				mutex.Lock()
				lost++
				mutex.Unlock()
			}
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
	if lost != workers/2 {
		t.Errorf("of %d frees of %d tensors %d found nothing", workers, workers/2, lost)
	}
	shared.Free()
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors before, %d after", before, after)
	}
}
