package audittest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// OK ends a test whose set-up has failed.
func OK(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Must is what a call returns, or the end of the test if the call fails: Must(f.Issues())(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}

// Same fails a test where got is not want.
func Same[T any](t testing.TB, want, got T, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
