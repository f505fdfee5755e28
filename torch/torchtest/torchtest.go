// Package torchtest holds helpers for tests of tensor code.
package torchtest

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/internal/scopes"
	"github.com/losscorr/losscorr/torch/libtorch"
)

// Open opens libtorch or skips the test. If LOSSCORR_REQUIRE_LIBTORCH is set, as by make test, it fails the test
// instead.
func Open(t testing.TB) {
	t.Helper()
	err := torch.Open()
	var missing *libtorch.NotFoundError
	switch {
	case err == nil:
	case errors.As(err, &missing) && os.Getenv("LOSSCORR_REQUIRE_LIBTORCH") == "":
		t.Skip("no libtorch here: run make first")
	default:
		t.Fatal(err)
	}
}

// Device returns the device for tests that hold on every device: LOSSCORR_TEST_DEVICE, which make test-device sets,
// or the CPU. It panics if that device cannot be used.
var Device = sync.OnceValue(func() torch.Device {
	d, err := torch.ParseDevice(os.Getenv("LOSSCORR_TEST_DEVICE"))
	if err == nil && d.IsCUDA() {
		err = torch.CheckDevice(d)
	}
	if err != nil {
		panic(err)
	}
	if d.IsCUDA() {
		torch.AllowTF32(false, false) // tests compare with float64
	}
	return d
})

// OnGPU reports whether Device is a real GPU, not the stand-in of tools/standin with its CPU kernels. A GPU draws a
// different dropout mask for each dtype, and an index out of range makes it unusable for the rest of the process.
func OnGPU() bool {
	return Device().IsCUDA() && !strings.HasPrefix(torch.DeviceName(Device()), "stand-in")
}

// FromSlice is torch.FromSlice on Device.
func FromSlice[E torch.Element](data []E, shape ...int) torch.Tensor {
	return torch.Tidy(func() torch.Tensor { return torch.FromSlice(data, shape...).ToDevice(Device()) })
}

// OnCPU skips a CPU-only test if Device is another device.
func OnCPU(t testing.TB) {
	t.Helper()
	if Device() != torch.CPU {
		t.Skip("of the CPU")
	}
}

// NoLeak opens libtorch and runs f in a scope, after which there must be as many tensors as before. The scope frees
// its own tensors, so a leak is a tensor that was kept or made outside.
func NoLeak(t testing.TB, f func()) {
	t.Helper()
	defer Scoped(t)()
	f()
}

// Scoped is NoLeak for the rest of a test: defer torchtest.Scoped(t)().
func Scoped(t testing.TB) (end func()) {
	t.Helper()
	level, leave := Level(t), scopes.Enter()
	return func() { leave(); level() }
}

// Level opens libtorch. Its result fails the test unless there are as many tensors as now.
func Level(t testing.TB) func() {
	t.Helper()
	Open(t)
	before := torch.Live()
	return func() {
		t.Helper()
		if after := torch.Live(); after != before {
			t.Errorf("%d tensors before, %d after", before, after)
		}
	}
}

// Case runs f as a subtest, like NoLeak.
func Case(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { NoLeak(t, func() { f(t) }) })
}

// Output returns what cmd prints and ends the test if cmd fails.
func Output(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// Close fails the test unless got has the elements of want within tolerance,
// relative to the larger of 1 and |want|.
func Close(t testing.TB, name string, got torch.Tensor, want []float64, tolerance float64) {
	t.Helper()
	Near(t, name, torch.Slice[float64](got), want, tolerance)
}

// Near is Close for slices.
func Near(t testing.TB, name string, got, want []float64, tolerance float64) {
	t.Helper()
	near(t, name, got, want, func(w float64) float64 { return tolerance * max(1, math.Abs(w)) })
}

// NearLargest fails the test unless got has the elements of want within tolerance, relative to the largest of want.
func NearLargest(t testing.TB, name string, got, want []float64, tolerance float64) {
	t.Helper()
	within := tolerance * floats.Norm(want, math.Inf(1))
	near(t, name, got, want, func(float64) float64 { return within })
}

func near(t testing.TB, name string, got, want []float64, tolerance func(want float64) float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", name, len(got), len(want))
	}
	for i, w := range want {
		same := math.IsNaN(w) && math.IsNaN(got[i]) || w == got[i]
		if !same && !(math.Abs(got[i]-w) <= tolerance(w)) {
			t.Fatalf("%s: element %d is %v, want %v within %v", name, i, got[i], w, tolerance(w))
		}
	}
}

// Raises fails the test unless f panics with a *torch.Error of the given kind,
// which it returns.
func Raises(t testing.TB, kind torch.Kind, f func()) *torch.Error {
	t.Helper()
	err := torch.Try(func() error { f(); return nil })
	var e *torch.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a tensor error of kind %v", err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("got kind %v (%v), want %v", e.Kind, e, kind)
	}
	return e
}

// Throw makes libtorch throw an error with that message, for errors that no CPU can cause, such as a lost device. A
// lost device stays lost.
func Throw(message string) {
	no := torch.Zeros(torch.Options{})
	torch.Call("aten::_functional_assert_async.msg", no, message, no)
}

// GradCheck compares the gradient of the scalar f with central differences at
// x, a float64 tensor.
func GradCheck(t testing.TB, name string, f func(x torch.Tensor) torch.Tensor, x torch.Tensor) {
	t.Helper()
	const step, tolerance = 1e-5, 1e-6
	at := x.Detach().Clone().SetRequiresGrad(true)
	got := torch.Slice[float64](torch.Grad(f(at), []torch.Tensor{at}, false)[0])
	data := torch.Slice[float64](x)
	shape := x.Shape()
	value := func(i int, v float64) (out float64) {
		torch.Scope(func() {
			moved := append([]float64(nil), data...)
			moved[i] = v
			out = f(torch.FromSlice(moved, shape...).ToDevice(x.Device())).Item()
		})
		return out
	}
	want := make([]float64, len(data))
	for i, v := range data {
		want[i] = (value(i, v+step) - value(i, v-step)) / (2 * step)
	}
	Near(t, name+" gradient", got, want, tolerance)
}
