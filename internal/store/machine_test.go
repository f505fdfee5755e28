package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCPUInfo(t *testing.T) {
	intel := "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu avx2 avx512f\n\nprocessor\t: 1\nmodel name\t: other\n"
	if diff := cmp.Diff(CPU{Model: "Intel(R) Xeon(R)", Flags: []string{"fpu", "avx2", "avx512f"}}, parseCPUInfo(strings.NewReader(intel))); diff != "" {
		t.Errorf("x86 (-want +got):\n%s", diff)
	}
	if got := parseCPUInfo(strings.NewReader("processor : 0\nFeatures : fp asimd\n")); len(got.Flags) != 2 {
		t.Errorf("ARM gives %+v", got)
	}
}

// A run on a GPU is not said to be one of the CPU.
func TestProcessors(t *testing.T) {
	e := Environment{CPU: CPU{Model: "Intel Xeon"}}
	if got := e.Processors(); got != "Intel Xeon" {
		t.Errorf("without a GPU: %q", got)
	}
	e.GPU = &GPU{Name: "NVIDIA H200"}
	if got := e.Processors(); got != "Intel Xeon and NVIDIA H200" {
		t.Errorf("with a GPU: %q", got)
	}
	e.CPU.Model = ""
	if got := e.Processors(); got != "NVIDIA H200" {
		t.Errorf("of a processor without a name: %q", got)
	}
}
