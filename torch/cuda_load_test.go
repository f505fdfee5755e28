package torch_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// stepVariable makes TestOpenCUDA take the named steps and open CUDA.
const stepVariable = "LOSSCORR_TEST_OPEN_CUDA"

// libtorch looks for CUDA once in a process. With a driver, Open opens CUDA before anything can look. Without one,
// OpenCUDA is early enough after Describe and returns ErrTooLate later. The oracle is libtorch's hasCUDART(), which
// OpenCUDA calls. The test needs all of NVIDIA's libraries but no GPU: an empty library takes the driver's name. make
// test-cuda-load fetches the libraries and requires this test.
func TestOpenCUDA(t *testing.T) {
	torchtest.OnCPU(t)
	torchtest.Open(t)
	if steps, ok := os.LookupEnv(stepVariable); ok {
		takeSteps(steps)
		return
	}
	if first := openCUDA(t, "describe", ""); strings.Contains(first, "only the CPU half") ||
		strings.Contains(first, "there is no CUDA shim") {
		if os.Getenv("LOSSCORR_REQUIRE_CUDA") != "" {
			t.Fatal(first)
		}
		t.Skipf("libtorch's CUDA half cannot be opened: %s", first)
	}
	real := openCUDA(t, "driver", "") == "opened"
	for _, c := range []struct {
		steps  string
		driver bool
		want   string
	}{
		{"describe", false, "opened"},
		{"convolution", false, torch.ErrTooLate.Error()},
		{"gradient", false, torch.ErrTooLate.Error()},
		{"build", false, torch.ErrTooLate.Error()},
		{"describe convolution gradient build", true, "opened"},
	} {
		if real && !c.driver {
			continue
		}
		library := ""
		if c.driver && !real {
			library = emptyDriver(t)
		}
		expect.Same(t, c.want, openCUDA(t, c.steps, library), "after "+c.steps)
	}
}

// openCUDA opens CUDA in a separate process after some steps.
func openCUDA(t *testing.T, steps, libraries string) string {
	t.Helper()
	variables := []string{stepVariable + "=" + steps}
	if libraries != "" {
		variables = append(variables, "LD_LIBRARY_PATH="+libraries+":"+os.Getenv("LD_LIBRARY_PATH"))
	}
	return after(t, again(t, "TestOpenCUDA", variables...), "CUDA: ")
}

// takeSteps takes the steps, opens CUDA and prints the outcome.
func takeSteps(steps string) {
	var err error
	ones := func(n int) tensor { return torch.Ones(torch.Options{}, 1, 1, n, n) }
	all := map[string]func(){
		"describe": func() { _, err = torch.Describe() },
		"convolution": func() {
			torch.Scope(func() { ones(3).Conv2d(ones(2), tensor{}, torch.Window{}) })
		},
		"gradient": func() { torch.Scope(func() { leaf(1).Square().Backward() }) },
		"build":    func() { torch.BuildConfig() },
		"driver": func() {
			if !torch.HasDriver() {
				err = errors.New("no driver")
			}
		},
	}
	for _, step := range strings.Fields(steps) {
		if all[step](); err != nil {
			break
		}
	}
	if err == nil {
		err = torch.OpenCUDA()
	}
	if err != nil {
		fmt.Println("CUDA:", err)
		return
	}
	fmt.Println("CUDA: opened")
}

// emptyDriver returns a folder with an empty library called libcuda.so.1.
func emptyDriver(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "empty.c")
	expect.OK(t, os.WriteFile(source, nil, 0o644))
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"),
		source).CombinedOutput(); err != nil {
		t.Skipf("no C compiler makes a library here: %v\n%s", err, out)
	}
	return dir
}
