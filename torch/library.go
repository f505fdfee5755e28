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

	driverErr error // why libcuda.so.1 cannot be opened; nil where it is
	cudaOnce  sync.Once
	cudaErr   error
	cudaOpen  atomic.Bool
	lost      atomic.Pointer[Error]
}

// Open finds the shim and opens it, and with it libtorch. Calling it again is
// free. Programs call it once at their start, for the error; a program that
// does not gets that error as a panic from its first operation.
//
// Where the machine has NVIDIA's driver and the libtorch has CUDA, Open opens its
// CUDA half too, for libtorch accepts it only before anything else: a convolution or
// a gradient on the CPU is enough to leave the process without GPUs. It makes no use
// of a GPU. A CUDA half that does not open is no error here: see OpenCUDA.
//
// Operations on the CPU then use one thread, unless OMP_NUM_THREADS says otherwise: see
// SetThreads.
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

// dlopenSerial opens the shim, such that operations use one thread unless OMP_NUM_THREADS
// says otherwise. OpenMP and MKL keep a number for each OS thread, which begins as that
// variable says when they are opened: a call would set it for the calling thread only.
func dlopenSerial(path string) error {
	const name = "OMP_NUM_THREADS"
	if os.Getenv(name) == "" {
		if err := os.Setenv(name, "1"); err != nil {
			return err
		}
		defer os.Unsetenv(name) // the environment is the program's
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

// Describe opens libtorch if need be and says what it is.
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

// BuildConfig is libtorch's own account of its build and its threads. It asks
// libtorch about CUDA: call it after OpenCUDA or CheckDevice where a GPU may be used.
func BuildConfig() string {
	mustOpen("build_config")
	var text *C.char
	check("build_config", C.lt_build_config(&text))
	defer C.lt_string_free(text)
	return C.GoString(text)
}

// SetThreads sets the number of threads that one operation on the CPU may use. It holds
// for the calling OS thread, and for threads that use libtorch for the first time
// afterwards: call it at the start of a program. The default is OMP_NUM_THREADS, or 1: sums
// do not depend on the number of cores then, and steps of small networks are faster than on
// several threads, whose waiting for each other costs more than they save. Convolutional
// networks that run alone gain from more. Panics if n is below 1.
func SetThreads(n int) {
	mustOpen("set_threads")
	check("set_threads", C.lt_set_threads(C.int32_t(n)))
}

// Threads is the number of threads that one operation on the CPU may use.
func Threads() int {
	mustOpen("threads")
	var n C.int32_t
	check("threads", C.lt_get_threads(&n))
	return int(n)
}
