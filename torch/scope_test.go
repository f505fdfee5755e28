package torch_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestScopeFrees(t *testing.T) {
	defer torchtest.Scoped(t)()
	var inner, kept torch.Tensor
	torch.Scope(func() {
		torch.Scope(func() {
			inner = torch.Ones(f32, 4)
			kept = inner.AddScalar(1).Keep()
			torch.Scope(func() { inner.MulScalar(2) })
		})
		expect.Same(t, 8, kept.Sum().Item(), "sum of the kept tensor")
		e := torchtest.Raises(t, torch.StaleHandle, func() { kept.Add(inner) })
		expect.Says(t, e, "add [4] float32 "+device.String()+", ended tensor: tensor used after its scope ended")
	})
	torchtest.Raises(t, torch.StaleHandle, func() { kept.Sum() })
	expect.Says(t, torchtest.Raises(t, torch.StaleHandle, func() { tensor{}.Sum() }), "zero Tensor")
}

func TestFreeAndReuse(t *testing.T) {
	defer torchtest.Scoped(t)()
	old := torch.Ones(f32, 2)
	old.Free()
	for range 1000 { // the slot comes back under another generation
		torch.Scope(func() { torch.Zeros(f32, 2) })
	}
	torchtest.Raises(t, torch.StaleHandle, func() { old.Sum() })
}

// NoGrad stops recording until it ends, even by a panic, and the scope inside ends as well.
func TestNoGradIsRestored(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := leaf(1)
	torchtest.Raises(t, torch.Shape, func() {
		torch.NoGrad(func() {
			expect.Same(t, false, torch.GradEnabled() || x.MulScalar(2).RequiresGrad(), "recording inside")
			torch.Scope(func() { torch.Ones(f32, 2).Add(torch.Ones(f32, 3)) })
		})
	})
	expect.Same(t, true, torch.GradEnabled() && x.MulScalar(2).RequiresGrad(), "recording after a panic")
}

// Sixteen goroutines use the handle table at once, each in its own scopes, with one shared tensor and one that has
// ended. go test -race checks the Go side and "make test-sanitizers" the C++ side.
func TestHandlesInParallel(t *testing.T) {
	defer torchtest.Level(t)()
	const workers, rounds = 16, 200
	shared := torchtest.FromSlice([]float64{3, 4})
	var ended tensor
	torch.Scope(func() { ended = shared.Clone() })
	var waiting sync.WaitGroup
	for w := range workers {
		waiting.Go(func() {
			for round := range rounds {
				torch.Scope(func() {
					var kept tensor
					own := torch.Full(float64(w*rounds+round), f64, 5)
					sum := own.Add(shared.Select(0, 1))
					torch.Scope(func() { kept = sum.Clone().Keep() })
					if got, want := kept.Select(0, 2).Item(), float64(w*rounds+round+4); got != want {
						t.Errorf("worker %d reads %v, want %v", w, got, want)
					}
					err := torch.Try(func() error { ended.Add(own); return nil })
					expect.Same(t, true, torch.IsKind(err, torch.StaleHandle), fmt.Sprint(err))
				})
			}
		})
	}
	waiting.Wait()
	shared.Free()
}

// again returns the output of the named test in a separate process with these variables.
func again(t *testing.T, name string, variables ...string) string {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v")
	child.Env = append(os.Environ(), variables...)
	return torchtest.Output(t, child)
}

// after returns the rest of the line of text after label.
func after(t *testing.T, text, label string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, label)
	if !found {
		t.Fatalf("no %q in %s", label, text)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
