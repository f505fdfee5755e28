package torch_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// However often Backward fails, the next one runs on the caller's thread, within its scope. The engine mistakes an
// uncaught exception for a nested backward, and runs more than sixty levels on a separate thread.
func TestFunctionFailsOnItsThread(t *testing.T) {
	const levels = 60 // MAX_DEPTH in libtorch's torch/csrc/autograd/engine.h
	defer torchtest.Scoped(t)()
	x := leaf(1, 2)
	for range 2 * levels {
		torchtest.Raises(t, torch.StaleHandle, func() {
			torch.Apply(faulty{func(g tensor) []tensor {
				var gone tensor
				torch.Scope(func() { gone = g.Clone() })
				return []tensor{gone}
			}}, x).Sum().Backward()
		})
	}
	called, ran := unix.Gettid(), 0
	torch.Apply(faulty{func(g tensor) []tensor {
		ran = unix.Gettid()
		return []tensor{g}
	}}, x).Sum().Backward()
	expect.Same(t, called, ran, "thread of Backward")
}
