//go:build linux

package torch_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// compile makes a library of C.
func compile(t *testing.T, library, source string, flags ...string) {
	t.Helper()
	cc := exec.Command("cc", append(flags, "-shared", "-fPIC", "-O1", "-x", "c", "-o", library, "-")...)
	cc.Stdin = strings.NewReader(source)
	cc.Env = append(os.Environ(), "LD_PRELOAD=") // the compiler runs without the sanitizer that these tests may preload
	torchtest.Output(t, cc)
}

const mklSwitch = "mkl_serv_intel_cpu_true"

// The shim answers MKL's question about the processor (see mkl.cpp). It must export the function, and if libtorch has
// its own, the loader must bind libtorch's calls to the shim's.
func TestShimAnswersMKL(t *testing.T) {
	torchtest.Open(t)
	info := expect.Got(torch.Describe())(t)
	if !defines(t, info.Shim, mklSwitch) {
		t.Fatalf("%s does not export %s", info.Shim, mklSwitch)
	}
	if libtorch := loaded(t, "libtorch_cpu.so"); !defines(t, libtorch, mklSwitch) {
		t.Skipf("%s has no MKL that would ask", libtorch)
	}
	trace := loaderTrace(t, info.Shim)
	if trace == nil {
		t.Skip("this system's loader does not report its bindings")
	}
	bound := regexp.MustCompile("file .*libtorch_cpu.so .* to (.*) \\[\\d+\\]: normal symbol `" + mklSwitch + "'")
	bindings := bound.FindAllSubmatch(trace, -1)
	if len(bindings) == 0 {
		t.Errorf("the loader bound no call of %s", mklSwitch)
	}
	for _, b := range bindings {
		expect.Same(t, filepath.Base(info.Shim), filepath.Base(string(b[1])), "library bound to "+mklSwitch)
	}
}

func defines(t *testing.T, library, name string) bool {
	t.Helper()
	f := expect.Got(elf.Open(library))(t)
	defer f.Close()
	symbols := expect.Got(f.DynamicSymbols())(t)
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
}

// loaded returns the path of a library that this process has opened.
func loaded(t *testing.T, name string) string {
	t.Helper()
	maps := expect.Got(os.ReadFile("/proc/self/maps"))(t)
	path := regexp.MustCompile(`(?m) (/.*/` + regexp.QuoteMeta(name) + `)$`).FindSubmatch(maps)
	if path == nil {
		t.Fatalf("%s is not open", name)
	}
	return string(path[1])
}

// loaderTrace opens libtorch in a separate process and returns the bindings that glibc's loader reports, or nil.
func loaderTrace(t *testing.T, shim string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	again(t, "TestFreeAndReuse", "LD_DEBUG=bindings", "LD_DEBUG_OUTPUT="+out, "LOSSCORR_SHIM="+shim)
	files, err := filepath.Glob(out + ".*")
	if err != nil || len(files) == 0 {
		return nil
	}
	return expect.Got(os.ReadFile(files[0]))(t)
}

// MKL's vector functions choose their kernels within Open, on its thread: two threads that choose at once can get
// different kernels (see mkl.cpp).
func TestVectorFunctionsAreSettled(t *testing.T) {
	const asked = "mkl_vml_serv_cpu_detect"
	if os.Getenv("LOSSCORR_TEST_ASKED") != "" { // in the child
		expect.OK(t, torch.Open())
		return
	}
	torchtest.Open(t)
	if !defines(t, loaded(t, "libtorch_cpu.so"), asked) {
		t.Skip("this libtorch has no MKL that would ask")
	}
	dir := t.TempDir()
	library, trace := filepath.Join(dir, "asked.so"), filepath.Join(dir, "asked")
	compile(t, library, `
#include <fcntl.h>
#include <unistd.h>
int `+asked+`(void) {
  int f = open("`+trace+`", O_WRONLY | O_CREAT, 0644);
  if (f >= 0) close(f);
  return 2; /* kernels that every processor has */
}
`)
	info := expect.Got(torch.Describe())(t)
	preload := "LD_PRELOAD=" + strings.TrimPrefix(os.Getenv("LD_PRELOAD")+":"+library, ":")
	again(t, "TestVectorFunctionsAreSettled", "LOSSCORR_TEST_ASKED=1", "LOSSCORR_SHIM="+info.Shim, preload)
	expect.OK(t, expect.Err(os.Stat(trace))) // MKL was asked for its kernels
}
