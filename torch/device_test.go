package torch_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// onDevice skips a test of what a GPU alone refuses, where Device is the CPU.
func onDevice(t *testing.T) {
	t.Helper()
	if device == torch.CPU {
		t.Skip("make test-device has a device")
	}
}

// An operand elsewhere is an error, but for a scalar on the CPU; a generator draws on its own
// device.
func TestOperandsElsewhere(t *testing.T) {
	onDevice(t)
	torchtest.NoLeak(t, func() {
		here, there := torch.Ones(f32, 2, 2), torch.Ones(torch.Options{}, 2, 2)
		others := []tensor{there}
		if torch.CUDADevices() > 1 {
			others = append(others, torch.Ones(torch.Options{Device: torch.CUDA(1)}, 2, 2))
		}
		for _, other := range others {
			for name, f := range map[string]func() tensor{
				"add":    func() tensor { return here.Add(other) },
				"mm":     func() tensor { return here.Mm(other) },
				"linear": func() tensor { return here.Linear(other, tensor{}) },
				"cat":    func() tensor { return torch.Cat(0, here, other) },
				"gather": func() tensor { return other.Gather(0, here.ToDType(torch.Int64).MulScalar(0)) },
			} {
				e := torchtest.Raises(t, torch.DeviceMismatch, func() { f() })
				if !strings.Contains(e.Error(), other.Device().String()) {
					t.Errorf("%s does not name %v: %v", name, other.Device(), e)
				}
			}
		}
		torchtest.Close(t, "a scalar on the CPU", here.Mul(torch.Scalar(3, torch.Options{})), []float64{3, 3, 3, 3}, 0)
		torchtest.Raises(t, torch.Value, func() { torch.NewGenerator(1, torch.CPU).Normal(0, 1, f32, 3) })
	})
}

// Memory comes back at the end of a scope, after an error too, and copies between devices and
// the host keep what they copy.
func TestDeviceMemoryComesBack(t *testing.T) {
	onDevice(t)
	torchtest.NoLeak(t, func() {
		before := torch.DeviceMemory(device)
		for range 100 {
			torch.Scope(func() {
				x := torch.Ones(f32, 1000).SetRequiresGrad(true)
				x.Square().Sum().Backward()
				_ = torch.Try(func() error { x.Add(torch.Ones(f32, 999)); return nil })
			})
		}
		torchtest.Raises(t, torch.OutOfMemory, func() { torch.Empty(f32, 1<<50) })
		torch.Synchronize(device)
		if after := torch.DeviceMemory(device); after.Allocated != before.Allocated {
			t.Errorf("%+v before, %+v after", before, after)
		}
		pinned := torch.FromSlice([]float64{1, 2, 3}).Pin()
		torchtest.Close(t, "uploaded", pinned.Upload(f64), []float64{1, 2, 3}, 0)
	})
}

// A GPU may read pinned memory until the host next waits for it.
func TestPinnedMemoryIsLeftAloneWhileItIsRead(t *testing.T) {
	onDevice(t)
	if torchtest.OnGPU() {
		t.Skip("make test-device tests it on a stand-in")
	}
	written := "written to pinned memory while a copy"
	torchtest.NoLeak(t, func() {
		pinned := torch.FromSlice([]float32{1, 2, 3}).Pin()
		to := torch.Options{DType: torch.Float32, Device: device}
		one := torch.Ones(torch.Options{}, 3)
		waits := map[string]func(){
			"synchronize": func() { torch.Synchronize(device) },
			"copy":        func() { torch.Ones(to, 2).ToDevice(torch.CPU) },
			"value":       func() { torch.Ones(to).Item() },
		}
		for name, wait := range waits {
			pinned.Upload(to)
			wait()
			pinned.AddInPlace(one, 1)
			wait()
			pinned.Upload(to)
			pinned.AddInPlace(one, 1)
			if e := torchtest.Raises(t, torch.Value, wait); !strings.Contains(e.Msg, written) {
				t.Errorf("%s: %v", name, e)
			}
		}
	})
}

const loseVariable = "LOSSCORR_TEST_LOSE"

// cuBLAS and cuDNN tell of a lost device in words of their own, on whichever device: CUDA is
// asked then.
func TestLostInOtherWords(t *testing.T) {
	if library, ok := os.LookupEnv(loseVariable); ok {
		loses(t, library)
		return
	}
	onDevice(t)
	if torchtest.OnGPU() {
		t.Skip("make test-device tests it on a stand-in")
	}
	for _, library := range []string{"cublas", "cudnn"} {
		child := exec.Command(os.Args[0], "-test.run=^TestLostInOtherWords$")
		child.Env = append(os.Environ(), loseVariable+"="+library, "LOSSCORR_STANDIN=break="+library)
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", library, err, out)
		}
	}
}

// loses has a kernel of the library lose the second device.
func loses(t *testing.T, library string) {
	torchtest.NoLeak(t, func() {
		x := torch.Ones(torch.Options{Device: torch.CUDA(1)}, 1, 1, 2, 2)
		e := torchtest.Raises(t, torch.DeviceLost, func() {
			if library == "cublas" {
				x.Reshape(2, 2).Mm(x.Reshape(2, 2))
			} else {
				x.Conv2d(x, tensor{}, torch.Window{})
			}
		})
		if !strings.Contains(strings.ToLower(e.Msg), library) || torch.Lost() != e {
			t.Errorf("%v, lost by %v", e, torch.Lost())
		}
		torchtest.Close(t, "on the CPU", torch.Ones(torch.Options{}, 2).Sum(), []float64{2}, 0)
	})
}
