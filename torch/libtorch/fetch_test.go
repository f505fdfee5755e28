package libtorch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/expect"
)

// fakePip puts a python3 on the PATH, with a pip that creates a fake libtorch in its target and records its arguments.
// It runs first before that.
func fakePip(t *testing.T, first string) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	script(t, filepath.Join(dir, "python3"), `requirements=
for arg; do case $arg in *requirements.txt) requirements=$(tr '\n' ' ' <"$arg") ;; esac; done
echo "$* $requirements" >> "`+calls+`"
while [ "$1" != --target ]; do shift; done
target=$2
mkdir -p "$target/torch/lib" "$target/torch/include/ATen"
touch "$target/torch/lib/`+sharedLibrary("torch_cpu")+`" "$target/torch/include/ATen/ATen.h"
`+first+`
echo "__version__ = '2.11.0+cu130'" > "$target/torch/version.py"`)
	return calls
}

func TestFetchOnce(t *testing.T) {
	calls := fakePip(t, "")
	base := realPath(t, t.TempDir())
	dir := filepath.Join(base, "deep", "libtorch")
	var log bytes.Buffer
	for range 2 {
		in, err := Fetch(t.Context(), dir, FetchOptions{Log: &log})
		if err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
		expect.Same(t, []string{filepath.Join(dir, "torch"), "2.11.0+cu130"}, []string{in.Dir, in.Version})
	}
	lines := readLines(t, calls)
	if len(lines) != 1 {
		t.Fatalf("pip ran %d times: %q", len(lines), lines)
	}
	want := []string{"--no-deps", "torch==2.11.0"}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		want = append(want, "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85", "nvidia-cuda-crt==13.0.88",
			"--hash=sha256:0f68f4ac6d95d12e896c3b7a912b5871619542ec54d3649cf48cc1edd4dd2756")
	}
	for _, arg := range want {
		expect.Says(t, " "+lines[0]+" ", " "+arg+" ")
	}

	// A libtorch with everything for CUDA replaces one without and serves both options.
	for _, cuda := range []bool{true, false} {
		expect.OK(t, expect.Err(Fetch(t.Context(), dir, FetchOptions{CUDA: cuda})))
	}
	if lines = readLines(t, calls); len(lines) != 2 || strings.Contains(lines[1], "--no-deps") {
		t.Errorf("pip calls %q, want a second one with dependencies", lines)
	}
	expect.Same(t, []string{"libtorch", "libtorch.lock"}, list(t, filepath.Dir(dir)), "left behind")
}

// A pip that fails, or brings something else, leaves the folder as it was.
func TestFetchThatFails(t *testing.T) {
	for script, want := range map[string]string{
		"echo 'no matching distribution' >&2; exit 1": "see its output above",
		"rm -r $target/torch/include":                 "pip brought no usable libtorch",
	} {
		fakePip(t, script)
		dir := filepath.Join(t.TempDir(), "libtorch")
		old := fakeTorch(t, filepath.Join(dir, "torch"), "2.9.0", false)
		expect.Says(t, expect.Err(Fetch(t.Context(), dir, FetchOptions{})), want)
		version, err := readVersion(old)
		expect.Same(t, "2.9.0", version, fmt.Sprint("the former libtorch, ", err))
		expect.Same(t, []string{"libtorch", "libtorch.lock"}, list(t, filepath.Dir(dir)), "left behind")
	}
}

func TestFetchInterrupted(t *testing.T) {
	calls := fakePip(t, "exec sleep 60")
	dir := filepath.Join(t.TempDir(), "libtorch")
	// Leftovers of a killed fetch are removed as well.
	write(t, filepath.Join(dir+".partial-123", "site", "half"), "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && !isFile(calls); {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond) // into the sleep
		cancel()
	}()
	if _, err := Fetch(ctx, dir, FetchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fetch = %v, want context.Canceled", err)
	}
	expect.Same(t, []string{"libtorch.lock"}, list(t, filepath.Dir(dir)), "left behind")
}

func TestFetchRefusesWhatIsNotPinned(t *testing.T) {
	expect.Says(t, expect.Err(Fetch(t.Context(), t.TempDir(), FetchOptions{Version: "1.13.1"})), "not pinned")
	t.Setenv("PATH", t.TempDir())
	_, err := Fetch(t.Context(), filepath.Join(t.TempDir(), "x"), FetchOptions{})
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "set LIBTORCH") {
		t.Errorf("Fetch without python = %v", err)
	}
}

// After pip install --no-deps libtorch_cpu.so is there, but libcudart is not.
func TestNeededPackage(t *testing.T) {
	for soname, want := range map[string]string{
		"libcudart.so.13": "nvidia-cuda-runtime", "libcudart.so.12": "nvidia-cuda-runtime-cu12",
		"libcupti.so.12": "nvidia-cuda-cupti-cu12", "libc10.so": "", "libc.so.6": "",
	} {
		expect.Same(t, want, cudaPackage(soname), soname)
	}
	if runtime.GOOS != "linux" {
		t.Skip("libraries are ELF files on Linux only")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler on the PATH")
	}
	root := fakeTorch(t, filepath.Join(t.TempDir(), "torch"), "2.11.0", false)
	runtimeLib := filepath.Join(filepath.Dir(root), "nvidia", "cu13", "lib", "libcudart.so.13")
	write(t, runtimeLib, "")
	compile := func(out string, args ...string) {
		t.Helper()
		args = append([]string{"-shared", "-x", "c", "/dev/null", "-x", "none", "-o", out, "-Wl,--no-as-needed"}, args...)
		if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("cc: %v\n%s", err, text)
		}
	}
	compile(runtimeLib, "-Wl,-soname,libcudart.so.13")
	compile(filepath.Join(root, "lib", "libtorch_cpu.so"), runtimeLib, "-Wl,-rpath,$ORIGIN/../../nvidia/cu13/lib")

	_, err = Open(root, "test")
	expect.OK(t, err)

	// The CPU half of a build with CUDA: cuBLAS is not there.
	cublas := filepath.Join(filepath.Dir(runtimeLib), "libcublas.so.13")
	compile(cublas, "-Wl,-soname,libcublas.so.13")
	compile(filepath.Join(root, "lib", "libtorch_cuda.so"), runtimeLib, cublas, "-Wl,-rpath,$ORIGIN/../../nvidia/cu13/lib")
	if in, err := Open(root, "test"); err != nil || !in.CUDA || in.CUDAMissing != "" {
		t.Errorf("Open of all = %+v, %v, want nothing missing", in, err)
	}
	remove(t, cublas)
	in, err := Open(root, "test")
	if err != nil || !in.CUDA || in.CUDAMissing != "libcublas.so.13" ||
		!strings.Contains(in.String(), "the CPU half, without libcublas.so.13") {
		t.Errorf("Open without cuBLAS = %v (%+v), %v", in, in, err)
	}

	remove(t, runtimeLib)
	expect.Says(t, expect.Err(Open(root, "test")), "pip install nvidia-cuda-runtime")
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text := expect.Got(os.ReadFile(path))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
