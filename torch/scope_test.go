package torch_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func TestScopeFrees(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
	var inner, kept torch.Tensor
	torch.Scope(func() {
		torch.Scope(func() {
			inner = torch.Ones(f32, 4)
			kept = inner.AddScalar(1).Keep()
			torch.Scope(func() { inner.MulScalar(2) })
		})
		if got := kept.Sum().Item(); got != 8 {
			t.Errorf("kept tensor sums to %v, want 8", got)
		}
		e := torchtest.Raises(t, torch.StaleHandle, func() { kept.Add(inner) })
		if want := "torch: add [4] float32 " + device.String() + ", ended tensor: tensor used after its scope ended"; e.Error() != want {
			t.Errorf("got %q, want %q", e, want)
		}
	})
	torchtest.Raises(t, torch.StaleHandle, func() { kept.Sum() })
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors alive before, %d after", before, after)
	}
}

func TestScopeEndsOnPanic(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
	torchtest.Raises(t, torch.Shape, func() {
		torch.Scope(func() {
			torch.Ones(f32, 2, 3).Mm(torch.Ones(f32, 2, 3))
		})
	})
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors alive before, %d after", before, after)
	}
}

func TestTidyKeepsItsResult(t *testing.T) {
	torchtest.NoLeak(t, func() {
		x := torch.Tidy(func() torch.Tensor { return torch.Ones(f32, 3).AddScalar(1) })
		torchtest.Close(t, "tidy", x, []float64{2, 2, 2}, 0)
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

func TestZeroTensorIsNamed(t *testing.T) {
	torchtest.Open(t)
	e := torchtest.Raises(t, torch.StaleHandle, func() { torch.Tensor{}.Sum() })
	if !strings.Contains(e.Error(), "zero Tensor") {
		t.Errorf("%v does not say that the tensor was never made", e)
	}
}

func TestScopesOfGoroutinesAreApart(t *testing.T) {
	torchtest.Open(t)
	before := torch.Live()
	shared := torch.Ones(f32, 8)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				torch.Scope(func() {
					x := shared.MulScalar(float64(g))
					if err := torch.Try(func() error { x.Mm(x); return nil }); i%50 == 0 && err == nil {
						t.Error("mm of a vector did not fail")
					}
					if got := x.Sum().Item(); got != float64(8*g) {
						t.Errorf("goroutine %d got %v", g, got)
					}
				})
			}
		})
	}
	wg.Wait()
	shared.Free()
	if after := torch.Live(); after != before {
		t.Errorf("%d tensors alive before, %d after", before, after)
	}
}

func TestNoGradIsRestored(t *testing.T) {
	torchtest.NoLeak(t, func() {
		torchtest.Raises(t, torch.Shape, func() {
			torch.NoGrad(func() {
				if torch.GradEnabled() {
					t.Error("recording inside NoGrad")
				}
				torch.Ones(f32, 2).Add(torch.Ones(f32, 3))
			})
		})
		if !torch.GradEnabled() {
			t.Error("NoGrad was not undone after a panic")
		}
	})
}
