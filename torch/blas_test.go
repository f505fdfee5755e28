//go:build linux

package torch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// otherBLAS compiles a BLAS whose products are twice the right ones, and which takes no time
// for large ones.
func otherBLAS(t *testing.T, config string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.so")
	source := `
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
const char *openblas_get_config(void) { return "` + config + `"; }
`
	compile(t, path, source)
	return path
}

// compile makes a library of C.
func compile(t *testing.T, library, source string, flags ...string) {
	t.Helper()
	cc := exec.Command("cc", append(flags, "-shared", "-fPIC", "-O1", "-x", "c", "-o", library, "-")...)
	cc.Stdin = strings.NewReader(source)
	cc.Env = append(os.Environ(), "LD_PRELOAD=") // the compiler runs without the sanitizer that these tests may preload
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// printProducts prints products by libtorch and by the shim, and what computes them.
func printProducts(t *testing.T) {
	if err := torch.Open(); err != nil {
		fmt.Printf("failed: %v\n", err)
		return
	}
	torch.Scope(func() {
		a, b := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2), torch.FromSlice([]float32{1, 0, 1, 1}, 2, 2)
		none := torch.Zeros(torch.Options{}, 2)
		info, err := torch.Describe()
		torchtest.OK(t, err)
		fmt.Printf("Mm %v, Linear %v, by %q\n", torch.Slice[float32](a.Mm(b)), torch.Slice[float32](a.Linear(b.T().Clone(), none)), info.BLAS)
	})
}

// productsIn runs printProducts in a process with these variables.
func productsIn(t *testing.T, variables ...string) string {
	t.Helper()
	torchtest.Open(t)
	info, err := torch.Describe()
	torchtest.OK(t, err)
	child := exec.Command(os.Args[0], "-test.run=^TestBLASVariable$")
	child.Env = append(os.Environ(), append([]string{"LOSSCORR_TEST_PRODUCTS=1", "LOSSCORR_SHIM=" + info.Shim, "XDG_CACHE_HOME=" + t.TempDir(), torch.BLASVariable + "="}, variables...)...)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
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
	torchtest.OK(t, os.MkdirAll(dir, 0o755))
	torchtest.OK(t, os.Rename(otherBLAS(t, "OpenBLAS of this test"), filepath.Join(dir, "libscipy_openblas.so")))
	for wish, want := range map[string]string{"": right, "libtorch": right, "openblas": doubled} {
		torchtest.Equal(t, wish, productsIn(t, "XDG_CACHE_HOME="+cache, torch.BLASVariable+"="+wish), want)
	}
}
