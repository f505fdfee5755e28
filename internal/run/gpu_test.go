package run

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// After an error that makes CUDA unusable in the process, the run that hit it has failed, other runs on GPUs find the
// GPU unavailable, and runs on the CPU keep their own errors. The damage is permanent, so the test runs in its own
// process.
func TestLostCUDA(t *testing.T) {
	const variable = "LOSSCORR_TEST_SPOILED"
	if os.Getenv(variable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestLostCUDA$")
		child.Env = append(os.Environ(), variable+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	torchtest.Open(t)
	meet := func(message string) error {
		return torch.Try(func() error { torchtest.Throw(message); return nil })
	}
	const illegal = "CUDA error: an illegal memory access was encountered"
	before := meet("mat1 and mat2 shapes cannot be multiplied")
	if got := unavailable("cuda", before); got != before {
		t.Errorf("before the error: %v", got)
	}
	first, second := meet(illegal), meet(illegal)
	if got := unavailable("cuda:1", first); got != first || !torch.IsKind(got, torch.DeviceLost) {
		t.Errorf("the run that hit it: %v", got)
	}
	if got := unavailable("cuda", second); !errors.Is(got, store.ErrUnavailable) {
		t.Errorf("another run on a GPU: %v", got)
	}
	if got := unavailable("cpu", before); got != before {
		t.Errorf("a run on the CPU: %v", got)
	}
	disk := errors.New("disk full")
	if got := unavailable("cuda", disk); got != disk {
		t.Errorf("another kind of error: %v", got)
	}
	if got := unavailable("cuda", nil); got != nil {
		t.Errorf("no error: %v", got)
	}
}

// Runs that need different modes of a GPU are refused; the mode of a run on a CPU does not matter.
func TestOneMode(t *testing.T) {
	runs := []config.Config{{Device: "cuda"}, {Device: "cuda:1", TF32: "cudnn"}, {Device: "cpu", TF32: "off"}}
	expect.OK(t, oneMode(runs))
	expect.Fails(t, oneMode(append(runs, config.Config{Device: "cuda", Deterministic: true})), "the same for all runs", "")
}
