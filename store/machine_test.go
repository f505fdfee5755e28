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
