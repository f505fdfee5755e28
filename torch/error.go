package torch

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classifies errors of tensor operations.
type Kind int

// The kinds of errors.
const (
	Internal       Kind = iota
	Shape               // sizes that do not match
	DTypeMismatch       // a dtype that the operation does not accept
	DeviceMismatch      // operands on different devices, or no such device
	Index               // an index or dimension out of range
	OutOfMemory         // of the host or the device
	NotImplemented      // no kernel for these operands
	StaleHandle         // a tensor used after its scope ended, or a Recording after Free
	Value               // any other bad argument
	DeviceLost          // CUDA fails for the rest of the process: an illegal address, a failed assertion, ECC
)

var kindNames = [...]string{"internal", "shape", "dtype", "device", "index", "out of memory", "not implemented",
	"stale handle", "value", "device lost"}

func (k Kind) String() string { return kindNames[k] }

// Error is the panic value of tensor operations. Kind separates a bad argument (Shape, DTypeMismatch and others) from
// a failure of the machine (OutOfMemory, DeviceLost, Internal without libtorch). Try returns the panic as an error.
type Error struct {
	Op   string
	Kind Kind
	Msg  string
	Args []string // shape, dtype and device of each tensor operand
}

func (e *Error) Error() string {
	if len(e.Args) == 0 {
		return fmt.Sprintf("torch: %s: %s", e.Op, e.Msg)
	}
	return fmt.Sprintf("torch: %s %s: %s", e.Op, strings.Join(e.Args, ", "), e.Msg)
}

// Try runs f and returns the *Error that it panics with, or f's own error. Any other panic continues.
func Try(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	return f()
}

// IsKind reports whether err is a tensor error of the given kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// raise panics with an error found without libtorch, because an exception in C++ costs about two milliseconds.
func raise(op string, kind Kind, msg string, args ...Tensor) { panic(newError(op, kind, msg, args)) }

func newError(op string, kind Kind, msg string, args []Tensor) *Error {
	err := &Error{Op: op, Kind: kind, Msg: msg}
	for _, t := range args {
		err.Args = append(err.Args, t.describe())
	}
	return err
}
