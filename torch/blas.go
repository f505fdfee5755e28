package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/gofrs/flock"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/torch/libtorch"
)

// BLASVariable names the variable that says which library computes products of float32
// matrices on the CPU: libtorch (its own), openblas (that of losscorr setup --openblas), or
// a path. If it is not set and OpenBLAS is there, Open takes the faster one, which it
// measures once for each model of processor.
const BLASVariable = "LOSSCORR_BLAS"

// fasterBy is how much faster OpenBLAS has to be: a machine that does other work disturbs
// the measurement, and its results are not those of libtorch's bit for bit.
const fasterBy = 1.2

// chooseBLAS has the library of BLASVariable compute products.
func chooseBLAS() error {
	switch wish := os.Getenv(BLASVariable); wish {
	case "libtorch":
		return nil
	case "", "openblas":
		path, there, err := libtorch.CachedOpenBLAS()
		switch {
		case wish == "" && (err != nil || !there):
			return nil // without a cache folder libtorch's own serves
		case err != nil:
			return fmt.Errorf("%s=%s: %w", BLASVariable, wish, err)
		case !there:
			return fmt.Errorf("%s=%s: no %s: fetch it with losscorr setup --openblas", BLASVariable, wish, path)
		case wish == "openblas":
			return useBLAS(path)
		}
		faster, err := fasterBLAS(path)
		if err != nil || !faster {
			return err
		}
		return useBLAS(path)
	default:
		if err := useBLAS(wish); err != nil {
			return fmt.Errorf("%s: %w: name libtorch, openblas or the path of a library", BLASVariable, err)
		}
		return nil
	}
}

// useBLAS has a library compute products; an empty path is libtorch's own.
func useBLAS(path string) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	return Try(func() error {
		check("use_blas", C.lt_use_blas(p))
		return nil
	})
}

// fasterBLAS reports whether a library computes products faster than libtorch's own. The
// answer is kept beside the library, so that all processes on this model of processor, at
// any time, take the same one. Where it cannot be kept, it is no.
func fasterBLAS(path string) (bool, error) {
	processor := processor()
	kept := filepath.Join(filepath.Dir(path), fmt.Sprintf("faster-%.6x.txt", sha256.Sum256([]byte(processor))))
	lock := flock.New(kept + ".lock")
	if err := lock.Lock(); err != nil {
		return false, nil //nolint:nilerr // a cache of somebody else's
	}
	defer lock.Close()
	text, err := os.ReadFile(kept)
	if err == nil {
		return strings.HasPrefix(string(text), "true\n"), nil
	}
	own := productRate()
	if err := useBLAS(path); err != nil {
		return false, err
	}
	other := productRate()
	if err := useBLAS(""); err != nil {
		return false, err
	}
	faster := other > fasterBy*own
	text = fmt.Appendf(nil, "%t\nOpenBLAS %.0f GFLOP/s, libtorch's BLAS %.0f, on one thread of\n%s\n", faster, other, own, processor)
	if err := files.Write(kept, text, 0o644); err != nil {
		return false, nil //nolint:nilerr // likewise
	}
	return faster, nil
}

// productRate is the best of some products on one thread, in GFLOP/s.
func productRate() float64 {
	const n, tries = 512, 7
	best := 0.0
	Scope(func() {
		a := Full(.5, Options{}, n, n)
		for range tries {
			begun := time.Now()
			a.Mm(a)
			best = max(best, 2*n*n*n/time.Since(begun).Seconds()/1e9)
		}
	})
	return best
}

// processor describes the model of the processor, as Linux does.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	return model(f)
}

func model(cpuinfo io.Reader) string {
	var lines []string
	for s := bufio.NewScanner(cpuinfo); s.Scan() && s.Text() != ""; { // of the first processor
		switch key, _, _ := strings.Cut(s.Text(), ":"); strings.TrimSpace(key) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "CPU implementer", "CPU part", "CPU variant":
			lines = append(lines, s.Text())
		}
	}
	return strings.Join(lines, "\n")
}
