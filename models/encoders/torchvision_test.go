package encoders

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// Features of torchvision's ResNet-50 with drawn weights, from both forms of torch.save: 1e-5 of the largest.
// torch 2.11.0, torchvision 0.26.0, testdata/resnet50.py.
func TestTorchvisionResNet50(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON names no Python with torchvision: make test-export PYTHON=... runs this")
	}
	dir := t.TempDir()
	out, err := exec.Command(python, "testdata/resnet50.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	torchtest.NoLeak(t, func() {
		want, _, err := torch.LoadSafetensors(filepath.Join(dir, "features.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"weights.pth", "old.pth"} {
			net, err := resnet50Entry.Load(filepath.Join(dir, file), nn.Init{})
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []string{"224", "96"} {
				torch.NoGrad(func() {
					y, reference := torch.Slice[float32](net.Forward(want["x"+size], nn.Eval)), torch.Slice[float32](want["y"+size])
					worst, largest := 0., 0.
					for k, v := range reference {
						worst, largest = max(worst, math.Abs(float64(y[k]-v))), max(largest, math.Abs(float64(v)))
					}
					if t.Logf("%s, %s: %.1e of %.1e", file, size, worst, largest); len(y) != 2*resnet50Entry.Features || !(worst <= 1e-5*largest) {
						t.Errorf("%s, %s: %d features, which differ by %v of %v", file, size, len(y), worst, largest)
					}
				})
			}
		}
	})
}
