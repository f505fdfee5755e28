package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/torch/libtorch"
)

var library struct {
	once sync.Once
	open atomic.Bool
	shim libtorch.Shim
	err  error

	driverErr error // why libcuda.so.1 cannot be opened; nil if it can
	cudaOnce  sync.Once
	cudaErr   error
	cudaOpen  atomic.Bool
	lost      atomic.Pointer[Error]
}

// Open finds and opens the shim and with it libtorch. Calling it again is free. Call it at the start of a program to
// get the error; otherwise the first operation panics with it.
//
// If the machine has NVIDIA's driver and libtorch has CUDA, Open also opens its CUDA half, because libtorch accepts
// it only before anything else: one convolution or gradient on the CPU leaves the process without GPUs. Open does not
// use a GPU, and a failure of the CUDA half is not an error here: see OpenCUDA.
//
// Operations on the CPU then use one thread, or OMP_NUM_THREADS: see SetThreads.
func Open() error {
	library.once.Do(func() {
		if library.err = open(); library.err != nil {
			return
		}
		library.open.Store(true)
	})
	return library.err
}

func open() error {
	shim, err := libtorch.Locate(losscorr.Sources)
	if err != nil {
		return err
	}
	if err := dlopenSerial(shim.Path); err != nil {
		return fmt.Errorf("open the shim %s: %w\nbuild it again with: losscorr setup", shim.Path, err)
	}
	library.shim = shim
	library.driverErr = dlopen("libcuda.so.1", func(p *C.char) *C.char { return C.losscorr_open_driver(p) })
	if shim.CUDA && library.driverErr == nil {
		library.cudaOnce.Do(openCUDA)
	}
	registerBackward()
	return nil
}

// dlopenSerial opens the shim such that operations use one thread unless OMP_NUM_THREADS is set. OpenMP and MKL keep
// a number of threads per OS thread and initialise it from that variable when they are opened; a call would set it
// only for the calling thread.
func dlopenSerial(path string) error {
	const name = "OMP_NUM_THREADS"
	if os.Getenv(name) == "" {
		if err := os.Setenv(name, "1"); err != nil {
			return err
		}
		defer os.Unsetenv(name) // leave the environment as it was
	}
	if err := dlopen(path, func(p *C.char) *C.char { return C.losscorr_open(p) }); err != nil {
		return err
	}
	var n C.int32_t
	check("threads", C.lt_get_threads(&n)) // LLVM's OpenMP reads the variable at its first call
	return nil
}

func dlopen(path string, call func(*C.char) *C.char) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if failed := call(p); failed != nil {
		defer C.free(unsafe.Pointer(failed))
		return errors.New(C.GoString(failed))
	}
	return nil
}

func isOpen() bool { return library.open.Load() }

func mustOpen(op string) {
	if isOpen() {
		return
	}
	if err := Open(); err != nil {
		panic(&Error{Op: op, Kind: Internal, Msg: err.Error()})
	}
}

// Info describes the libtorch that is open.
type Info struct {
	Shim          string `json:"shim"`
	Version       string `json:"version"`
	CPUCapability string `json:"cpu_capability"`
	Threads       int    `json:"threads"`
}

// Describe opens libtorch if necessary and describes it.
func Describe() (Info, error) {
	if err := Open(); err != nil {
		return Info{}, err
	}
	var text *C.char
	check("describe", C.lt_describe(&text))
	defer C.lt_string_free(text)
	info := Info{Shim: library.shim.Path, Threads: Threads()}
	for line := range strings.Lines(C.GoString(text)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), "="); key {
		case "version":
			info.Version = value
		case "cpu_capability":
			info.CPUCapability = value
		}
	}
	return info, nil
}

// BuildConfig returns libtorch's description of its build and threads. It makes libtorch look for CUDA, so call
// OpenCUDA or CheckDevice first if a GPU may be used.
func BuildConfig() string {
	mustOpen("build_config")
	var text *C.char
	check("build_config", C.lt_build_config(&text))
	defer C.lt_string_free(text)
	return C.GoString(text)
}

// SetThreads sets the number of threads that one operation on the CPU may use. It affects the calling OS thread and
// threads that use libtorch for the first time afterwards, so call it at the start of a program. The default is
// OMP_NUM_THREADS, or else 1: then sums do not depend on the number of cores, and small networks train faster because
// threads do not wait for each other. A convolutional network that has the machine to itself gains from more threads.
// Panics if n is below 1.
func SetThreads(n int) {
	mustOpen("set_threads")
	check("set_threads", C.lt_set_threads(C.int32_t(n)))
}

// Threads returns the number of threads that one operation on the CPU may use.
func Threads() int {
	mustOpen("threads")
	var n C.int32_t
	check("threads", C.lt_get_threads(&n))
	return int(n)
}
