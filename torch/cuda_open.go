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

// ErrTooLate says that CUDA was opened after libtorch had looked for it.
var ErrTooLate = errors.New("CUDA was opened too late: libtorch looks for it once, at the first convolution or " +
	"gradient, and works without it for the rest of the process; call torch.OpenCUDA before them")

// OpenCUDA opens the CUDA shim beside the shim, and libtorch's CUDA half. Open has done
// so already where the machine has NVIDIA's driver; elsewhere, and after any operation,
// it may be ErrTooLate. It says nothing of GPUs: see CheckDevice.
func OpenCUDA() error {
	if err := Open(); err != nil {
		return err
	}
	library.cudaOnce.Do(openCUDA)
	return library.cudaErr
}

// openCUDA is run once, under library.cudaOnce.
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

// explainOpen says what the loader's words mean: most often only the half of libtorch
// that a processor needs was fetched, and libraries of NVIDIA are missing.
func explainOpen(path string, err error) error {
	m := missingLibrary.FindStringSubmatch(err.Error())
	if m == nil || filepath.Base(path) == m[1] {
		return fmt.Errorf("open the CUDA shim: %w", err)
	}
	return fmt.Errorf("only the CPU half of libtorch is in %s (%s is missing); fetch the rest (2.5 GB) with `losscorr "+
		"setup --cuda`, or in a checkout with `make libtorch CUDA=1 && make`", library.shim.Libtorch, m[1])
}

// cuda is what is known of CUDA once it is open.
var cuda struct {
	once  sync.Once
	facts CUDAInfo
	count int
	err   error
}

// CUDAInfo is what CUDA says of itself.
type CUDAInfo struct {
	// the newest CUDA that the driver knows, such as 13.0; empty without a driver
	Driver  string `json:"driver"`
	Runtime string `json:"runtime"` // the CUDA that libtorch runs on
	// that libtorch has code for: sm_90; compute_90, which the driver translates
	Architectures []string `json:"architectures"`
}

// DescribeCUDA opens CUDA and says what it is. The error says why it cannot be used, or
// why there is no GPU. Fields that are known are set even on an error.
func DescribeCUDA() (CUDAInfo, error) {
	if err := OpenCUDA(); err != nil {
		return CUDAInfo{}, withDriver(err)
	}
	cuda.once.Do(func() { cuda.err = Try(probe) })
	return cuda.facts, cuda.err
}

// probe asks CUDA what there is, once.
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

// noGPU is the reason that CUDA gives, and what stands behind it.
func noGPU(reason string, facts CUDAInfo) error {
	if facts.Driver == "" {
		return withDriver(fmt.Errorf("CUDA finds no GPU: %s", reason))
	}
	return fmt.Errorf("CUDA finds no GPU: %s; the driver is for CUDA %s, libtorch runs on CUDA %s", reason, facts.Driver,
		facts.Runtime)
}

// withDriver says first that there is no driver, where that is so.
func withDriver(err error) error {
	if library.driverErr == nil {
		return err
	}
	return fmt.Errorf("NVIDIA's driver is not installed here (%w); %w", library.driverErr, err)
}

// cudaVersion is 13000 as 13.0.
func cudaVersion(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", number/1000, number%1000/10)
}

var architecture = regexp.MustCompile(`code=((?:sm|compute)_\d+a?)`)

// parseArchitectures reads the flags of nvcc out of libtorch's account of its build.
func parseArchitectures(config string) []string {
	var out []string
	for _, m := range architecture.FindAllStringSubmatch(config, -1) {
		out = append(out, m[1])
	}
	return out
}

// supports says whether code for one of the architectures runs on a GPU of that compute
// capability: binary code runs on its own major version from its minor one on, other
// code is translated for anything later. Where nothing is known it says yes.
func supports(architectures []string, major, minor int) bool {
	for _, a := range architectures {
		kind, number, _ := strings.Cut(a, "_")
		exact := strings.HasSuffix(number, "a")
		n, err := strconv.Atoi(strings.TrimSuffix(number, "a"))
		if err != nil {
			return true
		}
		built, have := n, 10*major+minor
		switch {
		case exact && built == have, !exact && kind == "sm" && built/10 == major && built <= have, !exact &&
			kind == "compute" && built <= have:
			return true
		}
	}
	return len(architectures) == 0
}
