// Package download fetches published files: it resumes earlier attempts, checks size and
// hash, and writes either the complete file or none.
//
//	file := download.File{
//		Address: "https://example.org/data.tar.gz",
//		Size:    170052171,
//		SHA256:  "c4a38c50...",
//	}
//	err := file.Fetch(ctx, "/home/me/.cache/data.tar.gz", download.Options{})
//
// While the file is incomplete, its bytes so far (.part) and a lock (.lock) are beside its path, so that one process
// fetches and others wait for it.
package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// File is a published file.
type File struct {
	Address string
	Size    int64  // bytes
	SHA256  string // hexadecimal
}

// Options holds the limits of retries. The zero value has good defaults.
type Options struct {
	// Stall is how long an attempt may go without receiving a byte; 0 means
	// 30 s.
	Stall time.Duration

	// Attempts is how many attempts in a row may fail with less than a hundredth
	// of the file received each; 0 means 5. Pause is the time before the second
	// attempt, and doubles each time; 0 means 1 s.
	Attempts int
	Pause    time.Duration

	// Progress, if not nil, is called with the number of bytes so far.
	Progress func(done, total int64)
}

func (o Options) withDefaults() Options {
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	return o
}

// Fetch downloads the file to path, unless a file exists there. It repeats an attempt that
// is interrupted, stalls, or gets status 408, 429 or 5xx, and resumes from the bytes so far.
// Any other status, a wrong size, or a wrong hash twice is an error.
//
// The error names the address, its answer, and path. If ctx ends, the error wraps
// ctx's; the bytes so far are kept for the next call.
func (f File) Fetch(ctx context.Context, path string, opt Options) error {
	opt = opt.withDefaults()
	t := &transfer{file: f, path: path, part: path + ".part", opt: opt}
	err := t.run(ctx)
	if err == nil {
		return nil
	}
	kept := ""
	if have := t.size(); have > 0 {
		kept = fmt.Sprintf(" (%d of %d bytes are kept in %s; the next run resumes from there)", have, f.Size, t.part)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the download of %s was stopped%s: %w", filepath.Base(path), kept, context.Cause(ctx))
	}
	return fmt.Errorf("the download of %s failed%s: %w; or fetch %s by other means and save it as %s",
		filepath.Base(path), kept, err, f.Address, path)
}

// run takes the lock and tries until the file is complete or no attempt is left.
func (t *transfer) run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return err
	}
	lock, err := files.Lock(ctx, t.path+".lock", func() {
		t.opt.Progress(t.size(), t.file.Size) // progress of the process that holds the lock
	})
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := os.Stat(t.path); err == nil {
		return nil
	}
	if err := t.attempts(ctx); err != nil {
		return fmt.Errorf("%s: %w", t.file.Address, err)
	}
	return nil
}

func (t *transfer) attempts(ctx context.Context) error {
	failed, pause, damaged := 0, t.opt.Pause, false
	for {
		before := t.size()
		err := t.attempt(ctx)
		if err == nil {
			err = t.finish()
			var hash *hashError
			if !errors.As(err, &hash) || damaged {
				return err
			}
			damaged = true // perhaps parts of two versions: start again
			continue
		}
		var passing *passingError
		if ctx.Err() != nil || !errors.As(err, &passing) {
			return err
		}
		if t.size()-before > t.file.Size/100 {
			failed, pause = 0, t.opt.Pause
		}
		if failed++; failed == t.opt.Attempts {
			return fmt.Errorf("%w, %d times in a row", err, failed)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passingError is an error that another attempt may avoid.
type passingError struct{ error }

func (e *passingError) Unwrap() error { return e.error }

func passing(err error) error { return &passingError{err} }

// hashError is the error of a file with the wrong hash.
type hashError struct{ got, want string }

func (e *hashError) Error() string {
	return fmt.Sprintf("the file has SHA-256 %s instead of %s: it is damaged or has been replaced", e.got, e.want)
}

// userAgent names the program to the servers' owners.
const userAgent = "losscorr (https://github.com/losscorr/losscorr)"
