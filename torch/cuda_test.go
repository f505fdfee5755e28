package torch_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The flags come from the wheel of libtorch 2.11.0; the rules come from NVIDIA's guide, "Binary compatibility" and
// "PTX compatibility".
func TestArchitectures(t *testing.T) {
	built := torch.ParseArchitectures("  - NVCC architecture flags: " +
		"-gencode;arch=compute_75,code=sm_75;-gencode;arch=compute_80,code=sm_80;" +
		"-gencode;arch=compute_86,code=sm_86;-gencode;arch=compute_90,code=sm_90;-gencode;arch=compute_100,code=sm_100;-gencode;arch=compute_120,code=sm_120\n")
	expect.Same(t, []string{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}, built, "architectures")
	for _, c := range []struct {
		built        []string
		major, minor int
		want         bool
	}{
		{built, 9, 0, true}, {built, 8, 9, true}, {built, 7, 5, true}, {built, 12, 1, true},
		{built, 7, 0, false}, {built, 6, 1, false}, {built, 11, 0, false},
		{[]string{"sm_90a"}, 9, 0, true}, {[]string{"sm_100a"}, 10, 3, false},
		{[]string{"sm_90", "compute_90"}, 12, 0, true}, {[]string{"compute_90"}, 8, 0, false},
		{nil, 3, 0, true},
	} {
		expect.Same(t, c.want, torch.Supports(c.built, c.major, c.minor), fmt.Sprintf("%+v", c))
	}
}

const advice = "\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."

// Messages of CUDA, cuBLAS and cuDNN in libtorch 2.11.0.
func TestKindsOfCUDAErrors(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, c := range []struct {
		message string
		kind    torch.Kind
	}{
		{"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", torch.OutOfMemory},
		{"cuDNN error: CUDNN_STATUS_ALLOC_FAILED", torch.OutOfMemory},
		{"cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", torch.OutOfMemory},
		{"CUDA error: out of memory" + advice, torch.OutOfMemory},
		{"cuDNN error: CUDNN_STATUS_NOT_SUPPORTED", torch.DeviceMismatch},
		{"CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm(handle)`", torch.DeviceMismatch},
		{"CUDA error: invalid device ordinal" + advice, torch.DeviceMismatch},
		{"CUDA error: invalid configuration argument" + advice, torch.DeviceMismatch},
	} {
		torchtest.Raises(t, c.kind, func() { torchtest.Throw(c.message) })
	}
	if err := torch.Lost(); err != nil {
		t.Errorf("lost after errors that leave CUDA working: %v", err)
	}
}

const lostVariable = "LOSSCORR_TEST_LOST"

// sticky lists errors that CUDA's documentation calls so.
var sticky = []string{
	"CUDA error: an illegal memory access was encountered",
	"CUDA error: device-side assert triggered",
	"CUDA error: unspecified launch failure",
	"CUDA error: uncorrectable ECC error encountered",
	"CUDA error: the launch timed out and was terminated",
	"CUDA error: an illegal instruction was encountered",
	"CUDA error: the MPS client has been terminated by the server",
	"CUDA error: the remote procedural call between the MPS server and the MPS client failed",
	"CUDA error: unknown error",
	"CUDA error: misaligned address",
}

// They have the kind DeviceLost, and the first makes GPUs unusable in the process, so this runs in a separate one.
func TestLost(t *testing.T) {
	if os.Getenv(lostVariable) != "" {
		torchtest.NoLeak(t, func() {
			first := torchtest.Raises(t, torch.DeviceLost, func() { torchtest.Throw(sticky[0] + advice) })
			for _, message := range sticky[1:] {
				torchtest.Raises(t, torch.DeviceLost, func() { torchtest.Throw(message + advice) })
			}
			if torch.Lost() != first {
				t.Errorf("lost by %v, want %v", torch.Lost(), first)
			}
			err := torch.CheckDevice(torch.CUDA(0))
			if !errors.Is(err, error(first)) || !strings.Contains(err.Error(), "unusable in this process") {
				t.Errorf("then a GPU is refused with %v", err)
			}
			torchtest.Close(t, "on the CPU", torch.Ones(f64, 2).Sum(), []float64{2}, 0)
		})
		return
	}
	torchtest.Open(t)
	again(t, "TestLost", lostVariable+"=1")
}

// The parameters keep their values but move on a GPU. Every device checks the counts.
func TestFlattenLSTM(t *testing.T) {
	defer torchtest.Scoped(t)()
	g := torch.NewGenerator(1, device)
	params := []torch.Tensor{g.Uniform(0, 1, f64, 8, 3), g.Uniform(0, 1, f64, 8, 2), g.Uniform(0, 1, f64, 8),
		g.Uniform(0, 1, f64, 8)}
	want := torch.Slice[float64](params[0])
	torch.FlattenLSTM(params, 3, 2)
	torchtest.Close(t, "input weights", params[0], want, 0)
	torchtest.Raises(t, torch.Value, func() { torch.FlattenLSTM(params[:2], 3, 2) })
}

// onDevice skips a test of errors that only a GPU has if Device is the CPU.
func onDevice(t *testing.T) {
	t.Helper()
	if device == torch.CPU {
		t.Skip("make test-device has a device")
	}
}

// onStandIn skips a test of errors that only the stand-in for a GPU detects.
func onStandIn(t *testing.T) {
	t.Helper()
	if onDevice(t); torchtest.OnGPU() {
		t.Skip("make test-device tests it on a stand-in")
	}
}

// An operand on another device is an error, unless it is a scalar on the CPU; a generator draws only on its own
// device.
func TestOperandsElsewhere(t *testing.T) {
	onDevice(t)
	defer torchtest.Scoped(t)()
	here, there := torch.Ones(f32, 2, 2), torch.Ones(torch.Options{}, 2, 2)
	others := []tensor{there}
	if torch.CUDADevices() > 1 {
		others = append(others, torch.Ones(torch.Options{Device: torch.CUDA(1)}, 2, 2))
	}
	for _, other := range others {
		for _, f := range []func(){
			func() { here.Add(other) },
			func() { here.Mm(other) },
			func() { here.Linear(other, tensor{}) },
			func() { torch.Cat(0, here, other) },
			func() { other.Gather(0, here.ToDType(torch.Int64).MulScalar(0)) },
		} {
			expect.Says(t, torchtest.Raises(t, torch.DeviceMismatch, f), other.Device().String())
		}
	}
	torchtest.Close(t, "a scalar on the CPU", here.Mul(torch.Scalar(3, torch.Options{})), []float64{3, 3, 3, 3}, 0)
	torchtest.Raises(t, torch.Value, func() { torch.NewGenerator(1, torch.CPU).Normal(0, 1, f32, 3) })
}

// Scopes release memory, even after an error, and copies between devices and the host stay valid.
func TestDeviceMemoryComesBack(t *testing.T) {
	onDevice(t)
	defer torchtest.Scoped(t)()
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
	expect.Same(t, before.Allocated, torch.DeviceMemory(device).Allocated, "memory")
	pinned := torch.FromSlice([]float64{1, 2, 3}).Pin()
	torchtest.Close(t, "uploaded", pinned.Upload(f64), []float64{1, 2, 3}, 0)
}

// A GPU may read pinned memory until the host next waits for it.
func TestPinnedMemoryIsLeftAloneWhileItIsRead(t *testing.T) {
	onStandIn(t)
	defer torchtest.Scoped(t)()
	pinned := torch.FromSlice([]float32{1, 2, 3}).Pin()
	to := torch.Options{DType: torch.Float32, Device: device}
	one := torch.Ones(torch.Options{}, 3)
	for _, wait := range []func(){
		func() { torch.Synchronize(device) },
		func() { torch.Ones(to, 2).ToDevice(torch.CPU) },
		func() { torch.Ones(to).Item() },
	} {
		pinned.Upload(to)
		wait()
		pinned.AddInPlace(one, 1)
		wait()
		pinned.Upload(to)
		pinned.AddInPlace(one, 1)
		expect.Says(t, torchtest.Raises(t, torch.Value, wait), "written to pinned memory while a copy")
	}
}

const loseVariable = "LOSSCORR_TEST_LOSE"

// cuBLAS and cuDNN report a lost device in their own words, on any device, so CUDA is asked.
func TestLostInOtherWords(t *testing.T) {
	if library, ok := os.LookupEnv(loseVariable); ok {
		loses(t, library)
		return
	}
	onStandIn(t)
	for _, library := range []string{"cublas", "cudnn"} {
		again(t, "TestLostInOtherWords", loseVariable+"="+library, "LOSSCORR_STANDIN=break="+library)
	}
}

// loses makes a kernel of the library lose the second device.
func loses(t *testing.T, library string) {
	defer torchtest.Scoped(t)()
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
}
