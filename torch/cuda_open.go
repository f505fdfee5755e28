package torch

// #include "loader.h"
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// ErrTooLate is the error if CUDA is opened after libtorch has looked for it.
var ErrTooLate = errors.New("CUDA was opened too late: libtorch looks for it once, at the first convolution or " +
	"gradient, and works without it for the rest of the process; call torch.OpenCUDA before them")

// OpenCUDA opens the CUDA shim beside the shim and libtorch's CUDA half. On a machine with NVIDIA's driver Open has
// done so already. On others, after any operation, the error may be ErrTooLate. Success does not mean that there is a
// GPU: see CheckDevice.
func OpenCUDA() error {
	if err := Open(); err != nil {
		return err
	}
	library.cudaOnce.Do(openCUDA)
	return library.cudaErr
}

// openCUDA runs once, under library.cudaOnce.
func openCUDA() {
	library.cudaErr = Try(func() error {
		path, built := library.shim.CUDAPath()
		if !built {
			return fmt.Errorf("there is no CUDA shim: %s", library.shim.WhyNoCUDA())
		}
		if err := dlopen(path, func(p *C.char) *C.char { return C.losscorr_open_cuda(p) }); err != nil {
			return explainOpen(path, err)
		}
		var real C.int32_t
		check("cuda_hooks", C.lt_cuda_hooks(&real))
		if real == 0 {
			return ErrTooLate
		}
		library.cudaOpen.Store(true)
		return nil
	})
}

var missingLibrary = regexp.MustCompile(`(lib[\w+-]+\.so[.\d]*): cannot open shared object file`)

// explainOpen translates the loader's error. Most often only the CPU half of libtorch was fetched and NVIDIA's
// libraries are missing.
func explainOpen(path string, err error) error {
	m := missingLibrary.FindStringSubmatch(err.Error())
	if m == nil || filepath.Base(path) == m[1] {
		return fmt.Errorf("open the CUDA shim: %w", err)
	}
	return fmt.Errorf("only the CPU half of libtorch is in %s (%s is missing); fetch the rest (2.5 GB) with `losscorr "+
		"setup --cuda`, or in a checkout with `make libtorch CUDA=1 && make`", library.shim.Libtorch, m[1])
}

// cuda caches the properties of CUDA once it is open.
var cuda struct {
	once  sync.Once
	facts CUDAInfo
	count int
	err   error
}

// CUDAInfo describes the CUDA that libtorch uses.
type CUDAInfo struct {
	// the newest CUDA that the driver supports, such as 13.0; empty without a driver
	Driver  string `json:"driver"`
	Runtime string `json:"runtime"` // the CUDA that libtorch runs on
	// that libtorch has code for: sm_90, or compute_90, which the driver translates
	Architectures []string `json:"architectures"`
}

// DescribeCUDA opens CUDA and describes it. It is an error if CUDA cannot be used or there is no GPU; known fields
// are set even then.
func DescribeCUDA() (CUDAInfo, error) {
	if err := OpenCUDA(); err != nil {
		return CUDAInfo{}, withDriver(err)
	}
	cuda.once.Do(func() { cuda.err = Try(probe) })
	return cuda.facts, cuda.err
}

// probe queries CUDA once.
func probe() error {
	var devices, driver, runtime C.int32_t
	var config, reason *C.char
	check("cuda_probe", C.lt_cuda_probe(&devices, &driver, &runtime, &config, &reason))
	defer C.lt_string_free(config)
	defer C.lt_string_free(reason)
	cuda.count = int(devices)
	cuda.facts = CUDAInfo{cudaVersion(int(driver)), cudaVersion(int(runtime)), parseArchitectures(C.GoString(config))}
	if reason != nil {
		return noGPU(C.GoString(reason), cuda.facts)
	}
	return nil
}

// noGPU wraps CUDA's reason in an error with the likely cause.
func noGPU(reason string, facts CUDAInfo) error {
	if facts.Driver == "" {
		return withDriver(fmt.Errorf("CUDA finds no GPU: %s", reason))
	}
	return fmt.Errorf("CUDA finds no GPU: %s; the driver is for CUDA %s, libtorch runs on CUDA %s", reason, facts.Driver,
		facts.Runtime)
}

// withDriver puts a missing driver in front of an error.
func withDriver(err error) error {
	if library.driverErr == nil {
		return err
	}
	return fmt.Errorf("NVIDIA's driver is not installed here (%w); %w", library.driverErr, err)
}

// cudaVersion returns 13000 as 13.0.
func cudaVersion(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", number/1000, number%1000/10)
}

var architecture = regexp.MustCompile(`code=((?:sm|compute)_\d+a?)`)

// parseArchitectures reads the flags of nvcc from libtorch's build configuration.
func parseArchitectures(config string) []string {
	var out []string
	for _, m := range architecture.FindAllStringSubmatch(config, -1) {
		out = append(out, m[1])
	}
	return out
}

// supports reports whether code for one of the architectures runs on a GPU of that compute capability. Binary code
// runs on its own major version from its minor version on; other code is translated for any later GPU. The result is
// true if no architecture is known.
func supports(architectures []string, major, minor int) bool {
	for _, a := range architectures {
		kind, number, _ := strings.Cut(a, "_")
		exact := strings.HasSuffix(number, "a")
		n, err := strconv.Atoi(strings.TrimSuffix(number, "a"))
		if err != nil {
			return true
		}
		built, have := n, 10*major+minor
		if exact && built == have || !exact && built <= have && (kind == "compute" || kind == "sm" && built/10 == major) {
			return true
		}
	}
	return len(architectures) == 0
}
