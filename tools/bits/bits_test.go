package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The test's own binary is the process that computes.
func TestMain(m *testing.M) {
	if os.Getenv(asked) != "" {
		os.Exit(tool.Main("bits", os.Stdout, compute))
	}
	os.Exit(m.Run())
}

func TestBitsAreEqual(t *testing.T) {
	torchtest.OnCPU(t)
	var out strings.Builder
	if err := run(context.Background(), []string{"-processes", "2"}, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1+len(operations) {
		t.Errorf("%d lines for %d operations:\n%s", lines, len(operations), &out)
	}
}

// Counts that are kept are continued, so that a measurement of hours can be interrupted.
func TestContinues(t *testing.T) {
	torchtest.OnCPU(t)
	state := filepath.Join(t.TempDir(), "bits.json")
	for _, processes := range []string{"1", "2", "2"} {
		var out strings.Builder
		if err := run(context.Background(), []string{"-processes", processes, "-state", state}, &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "\nexp,"+processes+",") {
			t.Errorf("not of %s processes:\n%s", processes, &out)
		}
	}
	if err := os.WriteFile(state, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(context.Background(), []string{"-state", state}, io.Discard); err == nil || !strings.Contains(err.Error(), state) {
		t.Errorf("damaged counts: %v", err)
	}
}

// A library in MKL's place answers one question about the processor wrongly: the first call
// of exp on one of the threads takes another kernel, and the tool reports it.
func TestReportsAnotherKernel(t *testing.T) {
	torchtest.OnCPU(t)
	info, err := torch.Describe()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(t.TempDir(), "asked.so")
	cc := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl")
	cc.Stdin = strings.NewReader(wrongOnce)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("LD_PRELOAD", strings.TrimSuffix(library+":"+os.Getenv("LD_PRELOAD"), ":"))
	hashes, err := ask(context.Background(), info.Shim)
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, h := range hashes {
		if h.Operation == "exp" && h.Shift == 0 {
			first = append(first, h.Sum)
		}
	}
	if slices.Sort(first); len(slices.Compact(first)) != 2 {
		t.Skip("this libtorch's exp is not MKL's, or its kernels have the same bits here")
	}
}

const wrongOnce = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
static int (*real)(void);
static int find(struct dl_phdr_info *i, size_t n, void *p) {
  if (strstr(i->dlpi_name, "libtorch_cpu.so") == 0) return 0;
  void *library = dlopen(i->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&real = dlsym(library, "mkl_vml_serv_cpu_detect");
  return 1;
}
static atomic_int calls; /* the shim's own at its start is number 0 */
int mkl_vml_serv_cpu_detect(void) {
  if (real == 0) dl_iterate_phdr(find, 0);
  return atomic_fetch_add(&calls, 1) == 1 ? 2 : real();
}
`
