package torch_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

func roundTrip[E torch.Element](t *testing.T, want []E, dtype torch.DType) {
	t.Helper()
	x := torchtest.FromSlice(want)
	if x.DType() != dtype || x.Numel() != len(want) {
		t.Errorf("%v from %T", x, want)
	}
	expect.Same(t, want, torch.Slice[E](x), fmt.Sprintf("%T", want))
}

func TestSlicesRoundTrip(t *testing.T) {
	defer torchtest.Scoped(t)()
	roundTrip(t, []float32{0, -1.5, math.MaxFloat32, math.SmallestNonzeroFloat32}, torch.Float32)
	roundTrip(t, []float64{0, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64}, torch.Float64)
	roundTrip(t, []int64{math.MinInt64, math.MaxInt64}, torch.Int64)
	roundTrip(t, []int{math.MinInt, math.MaxInt}, torch.Int64)
	roundTrip(t, []int32{math.MinInt32, math.MaxInt32}, torch.Int32)
	roundTrip(t, []uint8{0, 255}, torch.Uint8)
	roundTrip(t, []bool{true, false}, torch.Bool)
	roundTrip(t, []float64{}, torch.Float64)
	got := torch.Items(torch.Scalar(1.5, f64), torchtest.FromSlice([]int64{7}), torchtest.FromSlice([]bool{true}))
	torchtest.Near(t, "items", got, []float64{1.5, 7, 1}, 0)
	expect.Same(t, 0, len(torch.Items()), "items of nothing")
}

func TestFromSliceCopies(t *testing.T) {
	defer torchtest.Scoped(t)()
	data := []float64{1, 2}
	x := torchtest.FromSlice(data)
	data[0] = 9
	torchtest.Close(t, "after the slice has changed", x, []float64{1, 2}, 0)
	torch.Slice[float64](x)[1] = 9
	torchtest.Close(t, "after a copy has changed", x, []float64{1, 2}, 0)
}

func TestFacts(t *testing.T) {
	torchtest.OnCPU(t)
	defer torchtest.Scoped(t)()
	o := torch.Options{DType: torch.BFloat16, Device: device}
	x := torch.Empty(o, 2, 3, 4)
	v := x.Transpose(0, 2)
	if !slices.Equal(v.Shape(), []int{4, 3, 2}) || !slices.Equal(v.Strides(), []int{1, 4, 12}) {
		t.Errorf("shape %v, strides %v", v.Shape(), v.Strides())
	}
	if v.Dim() != 3 || v.Numel() != 24 || v.Size(0) != 4 || v.Size(-1) != 2 || v.DType() != torch.BFloat16 ||
		v.Device() != torch.CPU || v.Options() != o {
		t.Errorf("facts of %v", v)
	}
	image := torch.Zeros(f32, 1, 2, 3, 3)
	expect.Same(t, []int{18, 1, 6, 2}, image.ChannelsLast().Strides(), "channels-last strides")
	for d := torch.Float32; d <= torch.Bool; d++ {
		expect.Same(t, strings.Contains(d.String(), "float"), d.IsFloat(), d.String()+" IsFloat")
	}
	expect.Same(t, []bool{false, true}, []bool{tensor{}.Defined(), x.Defined()}, "Defined")
}

func TestViewsShareMemory(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torch.Zeros(f64, 2, 3)
	for _, v := range []tensor{x.View(6), x.Reshape(3, 2), x.T(), x.Narrow(1, 0, 3), x.Flatten(0, 1), x.Unsqueeze(0),
		x.SliceDim(0, 0, 2, 1)} {
		before := x.Sum().Item()
		v.AddInPlace(torch.Ones(f64), 1)
		expect.Same(t, before+6, x.Sum().Item(), fmt.Sprint("sum after adding 1 to view ", v.Shape()))
	}
	x.Clone().Fill(100)
	x.Contiguous().Select(0, 0).Fill(8)
	torchtest.Close(t, "after its clone was filled, and a row of itself", x, []float64{8, 8, 8, 7, 7, 7}, 0)
}

func TestFromDense(t *testing.T) {
	defer torchtest.Scoped(t)()
	m := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	x := torch.FromDense(m.T()) // not row-major in memory
	torchtest.Close(t, "transposed", x, []float64{1, 4, 2, 5, 3, 6}, 0)
}

func TestDevices(t *testing.T) {
	torchtest.Open(t)
	for text, want := range map[string]torch.Device{"cpu": torch.CPU, "": torch.CPU, "cuda": torch.CUDA(0),
		"cuda:3": torch.CUDA(3), "cuda:127": torch.CUDA(127)} {
		expect.Same(t, want, expect.Got(torch.ParseDevice(text))(t), text)
	}
	for _, text := range []string{"gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:128", "cpu:0"} {
		expect.Fails(t, expect.Err(torch.ParseDevice(text)), text)
	}
	for _, index := range []int{-1, 128, 255, 256} {
		torchtest.Raises(t, torch.Index, func() { torch.CUDA(index) })
	}
	if torch.CUDA(127).Index() != 127 || torch.CUDA(2).String() != "cuda:2" || torch.CPU.String() != "cpu" ||
		torch.CUDA(2).Index() != 2 || torch.CPU.IsCUDA() {
		t.Error("devices' names")
	}
	expect.OK(t, torch.CheckDevice(torch.CPU), torch.CheckPrecision(torch.CPU, torch.Float32))
	if torch.CheckPrecision(torch.CPU, torch.Float16) == nil {
		t.Error("float16 on the CPU is accepted")
	}
	torch.Synchronize(torch.CPU)
	torch.AllowTF32(false, false) // for GPUs, but must not fail here
	torch.Deterministic(true)
	torch.Deterministic(false)
}

func TestNoGPU(t *testing.T) {
	torchtest.Open(t)
	if torch.CUDADevices() > 0 {
		t.Skip("there is a GPU here")
	}
	expect.Says(t, torch.CheckDevice(torch.CUDA(0)), "device cuda:0 cannot be used")
}

func TestDescribe(t *testing.T) {
	torchtest.Open(t)
	info := expect.Got(torch.Describe())(t)
	if !strings.HasPrefix(info.Version, "2.") || info.CPUCapability == "" || info.Shim == "" {
		t.Errorf("described as %+v", info)
	}
	if os.Getenv("OMP_NUM_THREADS") != "" {
		return
	}
	expect.Same(t, 1, info.Threads, "threads before SetThreads")
	done := make(chan string)
	go func() {
		runtime.LockOSThread() // and never unlocked: no other goroutine has used this thread, nor will
		done <- torch.BuildConfig()
	}()
	expect.Says(t, <-done, "omp_get_max_threads() : 1\n", "mkl_get_max_threads() : 1\n")
}

// torch 2.11.0: torch.tensor([1, -1]) with scalars beyond int64. Comparisons use the exact numbers, and sums are
// float32.
func TestScalarsBeyondIntegers(t *testing.T) {
	defer torchtest.Scoped(t)()
	x, inf := torchtest.FromSlice([]int64{1, -1}), math.Inf(1)
	for name, c := range map[string]struct {
		got  torch.Tensor
		want []float64
	}{
		"!= inf":   {x.NeScalar(inf), []float64{1, 1}},
		"== -inf":  {torchtest.FromSlice([]int64{math.MinInt64, 0}).EqScalar(-inf), []float64{0, 0}},
		"== -2^63": {torchtest.FromSlice([]int64{math.MinInt64, 0}).EqScalar(-1 << 63), []float64{1, 0}},
		"+ 1e19":   {x.AddScalar(1e19), []float64{1e19, 1e19}}, "* inf": {x.MulScalar(inf), []float64{inf, -inf}},
	} {
		if got := torch.Slice[float64](c.got.ToDType(torch.Float64)); !slices.EqualFunc(got, c.want,
			func(a, b float64) bool {
				return a == b || math.Abs(a-b) < 1e-6*math.Abs(b)
			}) {
			t.Errorf("%s is %v, want %v", name, got, c.want)
		}
	}
	torchtest.Raises(t, torch.DTypeMismatch, func() { x.MulScalarInPlace(inf) })
}

// Python's torch.clamp keeps integers if both limits are integers and returns float32 if one is a fraction (torch
// 2.11.0).
func TestClampOfIntegers(t *testing.T) {
	defer torchtest.Scoped(t)()
	x := torchtest.FromSlice([]int64{-5, 0, 9})
	for _, c := range []struct {
		low, high float64
		dtype     torch.DType
		want      []float64
	}{
		{-1, 3, torch.Int64, []float64{-1, 0, 3}},
		{math.NaN(), 3, torch.Int64, []float64{-5, 0, 3}},
		{-.5, 3, torch.Float32, []float64{-.5, 0, 3}},
	} {
		got := x.Clamp(c.low, c.high)
		expect.Same(t, c.dtype, got.DType(), fmt.Sprintf("%+v", c))
		torchtest.Close(t, "values", got.ToDType(torch.Float64), c.want, 0)
	}
}
