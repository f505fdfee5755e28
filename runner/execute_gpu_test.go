package runner

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// After an error that takes CUDA from the process, the run that met it has failed, what
// other runs on GPUs meet then is that the GPU is not available, and runs on the CPU
// have their own errors. The loss lasts, so it is tested in a process of its own.
func TestSpoiled(t *testing.T) {
	const variable = "LOSSCORR_TEST_SPOILED"
	if os.Getenv(variable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestSpoiled$")
		child.Env = append(os.Environ(), variable+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	torchtest.Open(t)
	meet := func(message string) error {
		return torch.Try(func() error { torch.Throw(message); return nil })
	}
	const illegal = "CUDA error: an illegal memory access was encountered"
	before := meet("mat1 and mat2 shapes cannot be multiplied")
	if got := spoiled("cuda", before); got != before {
		t.Errorf("with CUDA in order: %v", got)
	}
	first, second := meet(illegal), meet(illegal)
	if got := spoiled("cuda:1", first); got != first || !torch.IsKind(got, torch.DeviceLost) {
		t.Errorf("the run that met it: %v", got)
	}
	if got := spoiled("cuda", second); !errors.Is(got, ErrUnavailable) {
		t.Errorf("another run on a GPU: %v", got)
	}
	if got := spoiled("cpu", before); got != before {
		t.Errorf("a run on the CPU: %v", got)
	}
	disk := errors.New("disk full")
	if got := spoiled("cuda", disk); got != disk {
		t.Errorf("an error of another sort: %v", got)
	}
	if got := spoiled("cuda", nil); got != nil {
		t.Errorf("no error: %v", got)
	}
}
