package store

import (
	"maps"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
)

// The processor's model and flags are read on x86 and on ARM.
func TestParseCPUInfo(t *testing.T) {
	intel := "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu avx2 avx512f\n\nprocessor\t: 1\nmodel " +
		"name\t: other\n"
	want := CPU{Model: "Intel(R) Xeon(R)", Flags: []string{"fpu", "avx2", "avx512f"}}
	expect.Same(t, want, parseCPUInfo(strings.NewReader(intel)), "x86")
	if got := parseCPUInfo(strings.NewReader("processor : 0\nFeatures : fp asimd\n")); len(got.Flags) != 2 {
		t.Errorf("ARM gives %+v", got)
	}
}

// A run on a GPU names the GPU too.
func TestProcessors(t *testing.T) {
	for want, e := range map[string]Environment{
		"Intel Xeon":                 {CPU: CPU{Model: "Intel Xeon"}},
		"Intel Xeon and NVIDIA H200": {CPU: CPU{Model: "Intel Xeon"}, GPU: &GPU{Name: "NVIDIA H200"}},
		"NVIDIA H200":                {GPU: &GPU{Name: "NVIDIA H200"}},
	} {
		expect.Same(t, want, e.Processors(), "processors")
	}
}

// The input comes back from the metadata of selected weights; incomplete metadata are refused.
func TestWeightsMetadata(t *testing.T) {
	c, want := config.Config{Dataset: "mnist", Model: "mlp", Seed: 3}, Input{Schema: 1, Classes: []string{"cat", "dog"},
		Shape: []int{2}, Type: Numbers, Columns: []string{"width", "height"}}
	metadata := expect.Got(WeightsMetadata(c, want))(t)
	read, got, err := ParseWeightsMetadata(metadata)
	if err != nil || read.ID() != c.ID() || metadata[idKey] != c.ID() {
		t.Errorf("run %s, in the metadata %s, want %s; %v", read.ID(), metadata[idKey], c.ID(), err)
	}
	expect.Same(t, want, got, "input")
	for _, key := range []string{inputKey, configKey} {
		for _, value := range []string{"", "{"} {
			less := maps.Clone(metadata)
			less[key] = value
			if _, _, err := ParseWeightsMetadata(less); err == nil {
				t.Errorf("%s %q gave no error", key, value)
			}
		}
	}
}
