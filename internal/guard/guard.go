// Package guard turns panics into errors and says what failed. Without it, a panic in a goroutine ends the process with
// exit code 2, which means wrong usage, and without the program's own message:
//
//	group.Go(guard.Func(func() error { return decode(image) }))
package guard

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic of the program.
type PanicError struct {
	Value any
	Stack []byte // nil if it is kept elsewhere
}

// Error returns the panic's value and a request to report it.
func (e *PanicError) Error() string {
	if e.Stack == nil {
		return fmt.Sprintf("internal error: %v; this is a bug in losscorr, please report it with the command line: %s/issues",
			e.Value, home)
	}
	return fmt.Sprintf("internal error: %v\nThis is a bug in losscorr. Please report it, with the command line and the "+
		"text below: %s/issues\n%s", e.Value, home, e.Stack)
}

const home = "https://github.com/losscorr/losscorr"

// Call calls f, and returns a panic as a *PanicError.
func Call(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

// Wrap puts what failed in front of an error, if there is one:
//
//	defer guard.Wrap(&err, "read %s", path)
func Wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf(format+": %w", append(args, *err)...)
	}
}

// Func returns a function that calls f by Call.
func Func(f func() error) func() error {
	return func() error { return Call(f) }
}
