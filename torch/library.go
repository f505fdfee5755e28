package torch

// #include <stdlib.h>
// #include "loader.h"
import "C"

import (
	"errors"
	"fmt"
	"path/filepath"
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
	path string
	err  error

	cudaOnce sync.Once
	cudaErr  error
}

// Open finds the shim and opens it, and with it libtorch. Calling it again is
// free. Programs call it once at their start, for the error; a program that
// does not gets that error as a panic from its first operation.
func Open() error {
	library.once.Do(func() {
		if library.err = open(); library.err == nil {
			library.open.Store(true)
		}
	})
	return library.err
}

func open() error {
	shim, err := libtorch.Locate(losscorr.Sources)
	if err != nil {
		return err
	}
	if err := dlopen(shim.Path, func(p *C.char) *C.char { return C.losscorr_open(p) }); err != nil {
		return fmt.Errorf("open the shim %s: %w\nbuild it anew with: losscorr setup", shim.Path, err)
	}
	library.path = shim.Path
	registerBackward()
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

// OpenCUDA opens the CUDA shim beside the shim, and libtorch's CUDA half. It is
// called before anything else is asked of a GPU; see CheckDevice.
func OpenCUDA() error {
	if err := Open(); err != nil {
		return err
	}
	library.cudaOnce.Do(func() {
		path := filepath.Join(filepath.Dir(library.path), strings.Replace(filepath.Base(library.path), "_shim", "_cuda", 1))
		if err := dlopen(path, func(p *C.char) *C.char { return C.losscorr_open_cuda(p) }); err != nil {
			library.cudaErr = fmt.Errorf("open the CUDA shim: %w", err)
		}
	})
	return library.cudaErr
}

// Info describes the libtorch that is open.
type Info struct {
	Shim          string `json:"shim"`
	Version       string `json:"version"`
	CPUCapability string `json:"cpu_capability"`
	Threads       int    `json:"threads"`
	Build         string `json:"-"` // libtorch's own account of its build
}

// Describe opens libtorch if need be and says what it is.
func Describe() (Info, error) {
	if err := Open(); err != nil {
		return Info{}, err
	}
	var text *C.char
	check("describe", C.lt_describe(&text))
	defer C.lt_string_free(text)
	head, build, _ := strings.Cut(C.GoString(text), "\n\n")
	info := Info{Shim: library.path, Threads: Threads(), Build: build}
	for line := range strings.Lines(head) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), "="); key {
		case "version":
			info.Version = value
		case "cpu_capability":
			info.CPUCapability = value
		}
	}
	return info, nil
}

// SetThreads sets the number of threads that one operation on the CPU may use,
// for the whole process. Runs in parallel use one each.
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

// AllowTF32 lets float32 products and convolutions on a GPU round their
// operands to 10 bits of mantissa, for the whole process.
func AllowTF32(on bool) { setFlag(0, on) }

// Deterministic makes operations that have no deterministic kernel fail, for
// the whole process.
func Deterministic(on bool) { setFlag(1, on) }

// TuneConvolutions lets cuDNN time its kernels for each new shape and keep the
// fastest, for the whole process.
func TuneConvolutions(on bool) { setFlag(2, on) }

func setFlag(which int, on bool) {
	mustOpen("set_flag")
	check("set_flag", C.lt_set_flag(C.int32_t(which), flag(on)))
}
