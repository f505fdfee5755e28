package doctor

import (
	"bytes"
	"errors"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
)

// The diagnosis describes the machine, and a machine that cannot train is an error.
func TestDiagnosis(t *testing.T) {
	found := Diagnosis{
		Program: "1", Go: "go1", CPU: store.CPU{Model: "EPYC", Cores: 2}, Vars: map[string]string{"OMP_NUM_THREADS": "1"},
		Machine: &Machine{Version: "2.11.0", Threads: 1, Cores: 2, Capability: "AVX2", BLAS: "MKL", GFLOPS: 221.4,
			Devices: []string{"cpu"}, WhyNot: "built without it"},
		Data: []DataFound{{Name: "mnist", Train: 60000, Test: 10000}},
	}
	var out bytes.Buffer
	expect.OK(t, found.WriteText(&out))
	expect.Says(t, out.String(), "EPYC, 2 cores", "221 GFLOP/s on one thread, AVX2, MKL", "no: built without it",
		"60000 training", "OMP_NUM_THREADS=1")
	expect.OK(t, found.Err())
	found.Problems = []Problem{{What: "no shim", Fatal: true}}
	if err := found.Err(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}
