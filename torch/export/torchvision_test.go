package export_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// torchvision's networks against PyTorch: logits in evaluation, and losses over steps of SGD if the network draws
// nothing. Other networks have to reach a finite loss. torch 2.11.0, testdata/torchvision_networks.py; 1e-5 relative
// for ResNet-18 over 20 steps, 1e-4 for the deeper ones. make -f .ci/checks.mk test-export leaves MKL its own choice
// of kernels (LOSSCORR_MKL_INTEL_PATH=0), as PyTorch does: other sums would differ by more after some steps.
func TestTorchvision(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON lacks torchvision: make -f .ci/checks.mk test-export PYTHON=... runs this")
	}
	dir := t.TempDir()
	cmd := exec.Command(python, "testdata/torchvision_networks.py", dir)
	// sums of other threads have other last bits
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", torch.Threads()))
	out := torchtest.Output(t, cmd)
	t.Logf("%s", out)
	files, err := filepath.Glob(filepath.Join(dir, "*.pt2"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		torchtest.Case(t, filepath.Base(file), func(t *testing.T) {
			p := expect.Got(export.Load(file, export.Options{}))(t)
			want, _, err := torch.LoadSafetensors(strings.TrimSuffix(file, ".pt2") + ".safetensors")
			expect.OK(t, err)
			torch.NoGrad(func() {
				torchtest.Close(t, "logits", p.Forward(want["x"], nn.Eval), torch.Slice[float64](want["eval"]), 1e-4)
			})
			tolerance := 1e-4
			if strings.Contains(file, "resnet18") {
				tolerance = 1e-5
			}
			opt := optim.NewSGD(optim.SGD{LearningRate: .001, Momentum: .9}, p.Parameters())
			stream := torch.NewGenerator(1, device)
			losses := torch.Slice[float64](want["losses"])
			for i, loss := range losses {
				got := step(p, opt, want["x"], want["y"], nn.Train(nil))
				if math.Abs(got-loss) > tolerance*loss {
					t.Errorf("loss of step %d is %v, PyTorch has %v", i, got, loss)
				}
			}
			if len(losses) == 0 {
				for range 2 {
					got := step(p, opt, want["x"], want["y"], nn.Train(stream))
					if math.IsNaN(got) || math.IsInf(got, 0) {
						t.Errorf("loss %v", got)
					}
				}
			}
		})
	}
}
