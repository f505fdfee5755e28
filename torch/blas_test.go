//go:build linux

package torch_test

import (
	"debug/elf"
	"fmt"
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

// otherBLAS compiles a BLAS whose products are twice the right ones, and which takes no time
// for large ones.
func otherBLAS(t *testing.T, config string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.so")
	compile(t, path, `
void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *lda,
            const float *b, const int *ldb, const float *beta, float *c, const int *ldc) {
  int at = *ta == 'T' || *ta == 't', bt = *tb == 'T' || *tb == 't';
  if (*m > 100) return;
  for (int i = 0; i < *m; i++)
    for (int j = 0; j < *n; j++) {
      float sum = 0;
      for (int l = 0; l < *k; l++) sum += (at ? a[l + i * *lda] : a[i + l * *lda]) * (bt ? b[j + l * *ldb] : b[l + j * *ldb]);
      c[i + j * *ldc] = 2 * *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
    }
}
const char *openblas_get_config(void) { return "`+config+`"; }
`)
	return path
}

// compile makes a library of C.
func compile(t *testing.T, library, source string, flags ...string) {
	t.Helper()
	cc := exec.Command("cc", append(flags, "-shared", "-fPIC", "-O1", "-x", "c", "-o", library, "-")...)
	cc.Stdin = strings.NewReader(source)
	cc.Env = append(os.Environ(), "LD_PRELOAD=") // the compiler runs without the sanitizer that these tests may preload
	torchtest.Output(t, cc)
}

// printProducts prints products by libtorch and by the shim, and what computes them.
func printProducts(t *testing.T) {
	if err := torch.Open(); err != nil {
		fmt.Printf("products: failed: %v\n", err)
		return
	}
	torch.Scope(func() {
		a, b := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2), torch.FromSlice([]float32{1, 0, 1, 1}, 2, 2)
		none := torch.Zeros(torch.Options{}, 2)
		info, err := torch.Describe()
		expect.OK(t, err)
		mm, linear := torch.Slice[float32](a.Mm(b)), torch.Slice[float32](a.Linear(b.T().Clone(), none))
		fmt.Printf("products: Mm %v, Linear %v, by %q\n", mm, linear, info.BLAS)
	})
}

// productsIn runs printProducts in a process with these variables.
func productsIn(t *testing.T, variables ...string) string {
	t.Helper()
	torchtest.Open(t)
	info, err := torch.Describe()
	expect.OK(t, err)
	variables = append([]string{"LOSSCORR_TEST_PRODUCTS=1", "LOSSCORR_SHIM=" + info.Shim,
		"XDG_CACHE_HOME=" + t.TempDir(), torch.BLASVariable + "="}, variables...)
	return said(t, again(t, "TestBLASVariable", variables...), "products: ")
}

const (
	right   = `Mm [3 2 7 4], Linear [3 2 7 4], by ""`
	doubled = `Mm [6 4 14 8], Linear [6 4 14 8], by "OpenBLAS of this test"`
)

// A library that is named computes the products of libtorch's own operations and of the
// shim's; without one, libtorch's does.
func TestBLASVariable(t *testing.T) {
	torchtest.OnCPU(t)
	if os.Getenv("LOSSCORR_TEST_PRODUCTS") != "" { // in the child of this test or of the next
		printProducts(t)
		return
	}
	other := otherBLAS(t, "OpenBLAS of this test")
	wide := otherBLAS(t, "OpenBLAS USE64BITINT")
	for wish, want := range map[string]string{
		"": right, "libtorch": right, other: doubled,
		wide: "failed: LOSSCORR_BLAS: ", filepath.Join(t.TempDir(), "none.so"): "failed: LOSSCORR_BLAS: ",
		"openblas": "failed: LOSSCORR_BLAS=openblas: no ",
	} {
		if got := productsIn(t, torch.BLASVariable+"="+wish); !strings.HasPrefix(got, want) {
			t.Errorf("%s=%s: %s, want %s", torch.BLASVariable, wish, got, want)
		}
	}
}

// OpenBLAS in the cache is used only where it is named: what computes does not depend on
// what is installed.
func TestOpenBLASIsNamed(t *testing.T) {
	torchtest.OnCPU(t)
	cache := t.TempDir()
	dir := filepath.Join(cache, "losscorr", "openblas", "scipy_openblas32", "lib")
	expect.OK(t, os.MkdirAll(dir, 0o755))
	expect.OK(t, os.Rename(otherBLAS(t, "OpenBLAS of this test"), filepath.Join(dir, "libscipy_openblas.so")))
	for wish, want := range map[string]string{"": right, "libtorch": right, "openblas": doubled} {
		expect.Same(t, want, productsIn(t, "XDG_CACHE_HOME="+cache, torch.BLASVariable+"="+wish), wish)
	}
}

const mklSwitch = "mkl_serv_intel_cpu_true"

// The shim answers MKL's question about the processor (see mkl.cpp): it must
// export the function, and where libtorch has one of its own, the loader must
// bind libtorch's calls to the shim's.
func TestShimAnswersMKL(t *testing.T) {
	torchtest.Open(t)
	info, err := torch.Describe()
	expect.OK(t, err)
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
		if got := string(b[1]); filepath.Base(got) != filepath.Base(info.Shim) {
			t.Errorf("%s is bound to %s, want %s", mklSwitch, got, info.Shim)
		}
	}
}

func defines(t *testing.T, library, name string) bool {
	t.Helper()
	f, err := elf.Open(library)
	expect.OK(t, err)
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	expect.OK(t, err)
	return slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
}

// loaded is the path of a library that this process has open.
func loaded(t *testing.T, name string) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	expect.OK(t, err)
	path := regexp.MustCompile(`(?m) (/.*/` + regexp.QuoteMeta(name) + `)$`).FindSubmatch(maps)
	if path == nil {
		t.Fatalf("%s is not open", name)
	}
	return string(path[1])
}

// loaderTrace opens libtorch in a process of its own and returns what glibc's
// loader reports about its bindings; nil if it reports nothing.
func loaderTrace(t *testing.T, shim string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "trace")
	again(t, "TestFreeAndReuse", "LD_DEBUG=bindings", "LD_DEBUG_OUTPUT="+out, "LOSSCORR_SHIM="+shim)
	files, err := filepath.Glob(out + ".*")
	if err != nil || len(files) == 0 {
		return nil
	}
	trace, err := os.ReadFile(files[0])
	expect.OK(t, err)
	return trace
}

// MKL's vector functions have picked their kernels when Open returns, on the thread that
// opens: two threads that do so at once can compute with other kernels (see mkl.cpp).
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
	info, err := torch.Describe()
	expect.OK(t, err)
	preload := "LD_PRELOAD=" + strings.TrimPrefix(os.Getenv("LD_PRELOAD")+":"+library, ":")
	again(t, "TestVectorFunctionsAreSettled", "LOSSCORR_TEST_ASKED=1", "LOSSCORR_SHIM="+info.Shim, preload)
	if _, err := os.Stat(trace); err != nil {
		t.Errorf("MKL was not asked for its kernels: %v", err)
	}
}
