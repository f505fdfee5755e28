// Package expect ends or fails tests.
package expect

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// OK ends the test if there is an error.
func OK(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Got returns the value of a call, or ends the test at its error: d := expect.Got(own.Read(ctx, s, opt))(t).
func Got[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}

// Err returns the error of a call and drops its value.
func Err[T any](_ T, err error) error { return err }

// Same fails the test unless cmp.Diff finds got equal to want, with the options among about; NaN equals NaN.
// The rest of about names the case.
func Same[T any](t testing.TB, want, got T, about ...any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // much faster for long slices
		return
	}
	options := cmp.Options{cmpopts.EquateNaNs()}
	var cases []any
	for _, a := range about {
		if o, ok := a.(cmp.Option); ok {
			options = append(options, o)
		} else {
			cases = append(cases, a)
		}
	}
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s-want +got:\n%s", fmt.Sprintln(cases...), diff)
	}
}

// Is fails the test unless errors.Is finds target in err.
func Is(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%v, want %v", err, target)
	}
}

// Says fails the test unless a text, or an error's text, contains each of the parts.
func Says(t testing.TB, said any, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if said == nil || !strings.Contains(fmt.Sprint(said), part) {
			t.Errorf("%v does not contain %q", said, part)
		}
	}
}

// Fails fails the test unless the text of err contains want and err is each of the errors among about; without any of
// these, err must be nil. The rest of about names the case.
func Fails(t testing.TB, err error, want string, about ...any) {
	t.Helper()
	wrong, fails := false, want != ""
	for _, a := range about {
		if kind, ok := a.(error); ok {
			wrong, fails = wrong || !errors.Is(err, kind), true
		}
	}
	if wrong || (err != nil) != fails || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q %s", err, want, fmt.Sprintln(about...))
	}
}
