package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// lab compiles and tests mutants.
type lab struct {
	root  string // of the module
	jobs  int
	limit time.Duration // of one test
	out   io.Writer
}

// result is what became of a mutant.
type result struct {
	mutant Mutant
	killed bool
	by     string // the first test that failed
	took   time.Duration
}

// healthy runs the tests of the mutants without a mutant. They have to be there and pass.
func (l lab) healthy(ctx context.Context, mutants List) error {
	patterns := map[string][]string{}
	seen := map[string]bool{}
	for _, m := range mutants {
		if pkg, pattern := m.test(); !seen[m.Test] {
			seen[m.Test] = true
			patterns[pkg] = append(patterns[pkg], pattern)
		}
	}
	var mu sync.Mutex
	var wrong []error
	var work errgroup.Group
	work.SetLimit(l.jobs)
	for pkg := range patterns {
		work.Go(func() error {
			err := l.inFolder(func(dir string) error { return l.healthyIn(ctx, dir, pkg, patterns[pkg]) })
			mu.Lock()
			defer mu.Unlock()
			wrong = append(wrong, err)
			return nil
		})
	}
	return errors.Join(work.Wait(), errors.Join(wrong...))
}

func (l lab) healthyIn(ctx context.Context, dir, pkg string, patterns []string) error {
	binary, err := l.compile(ctx, dir, pkg)
	if err != nil {
		return err
	}
	var wrong []error
	for _, pattern := range patterns {
		failed, text, err := l.test(ctx, binary, pkg, pattern)
		switch {
		case err != nil:
			return err
		case failed:
			wrong = append(wrong, fmt.Errorf("%s %s fails without a mutant:\n%s", pkg, pattern, text))
		case strings.Contains(text, "no tests to run"):
			wrong = append(wrong, fmt.Errorf("%s has no test %s", pkg, pattern))
		}
	}
	return errors.Join(wrong...)
}

// try tests each mutant and prints its result.
func (l lab) try(ctx context.Context, mutants List) ([]result, error) {
	var mu sync.Mutex
	var done []result
	var wrong []error
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(l.jobs)
	for _, m := range mutants {
		work.Go(func() error {
			r, err := l.one(ctx, m)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				wrong = append(wrong, fmt.Errorf("mutant %q: %w", m.Name, err))
				return ctx.Err() // the others are tested
			}
			done = append(done, r)
			verdict := "survived"
			if r.killed {
				verdict = "killed"
			}
			fmt.Fprintf(l.out, "%-8s %5.1f s  %s: %s  (%s)\n", verdict, r.took.Seconds(), m.File, m.Name, r.by)
			return nil
		})
	}
	return done, errors.Join(work.Wait(), errors.Join(wrong...))
}

// one compiles and tests a mutant.
func (l lab) one(ctx context.Context, m Mutant) (r result, err error) {
	begun := time.Now()
	r.mutant = m
	err = l.inFolder(func(dir string) error {
		text, err := m.apply(l.root)
		if err != nil {
			return err
		}
		overlay, err := l.overlay(dir, m.File, text)
		if err != nil {
			return err
		}
		pkg, pattern := m.test()
		binary, err := l.compile(ctx, dir, pkg, "-overlay", overlay)
		if err != nil {
			return err
		}
		var output string
		r.killed, output, err = l.test(ctx, binary, pkg, pattern)
		r.by = firstFailure(output)
		return err
	})
	r.took = time.Since(begun)
	return r, err
}

// inFolder calls f with a folder that is removed afterwards.
func (l lab) inFolder(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// overlay writes the file of go's flag -overlay in which text stands for a file of the
// module.
func (l lab) overlay(dir, file string, text []byte) (string, error) {
	changed := filepath.Join(dir, filepath.Base(file))
	path := filepath.Join(dir, "overlay.json")
	places, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(l.root, filepath.FromSlash(file)): changed}})
	if err != nil {
		return "", err
	}
	return path, errors.Join(os.WriteFile(changed, text, 0o666), os.WriteFile(path, places, 0o666))
}

// compile makes the test binary of a package, which is ./pkg of the module.
func (l lab) compile(ctx context.Context, dir, pkg string, flags ...string) (string, error) {
	binary := filepath.Join(dir, "pkg.test")
	args := append([]string{"test", "-c", "-vet=off", "-buildvcs=false", "-ldflags=-s -w", "-o", binary}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = l.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("does not compile: %w\n%s", err, out)
	}
	return binary, nil
}

// test runs tests of a package and reports whether one failed.
func (l lab) test(ctx context.Context, binary, pkg, pattern string) (failed bool, output string, err error) {
	cmd := exec.CommandContext(ctx, binary, "-test.failfast", "-test.timeout", l.limit.String(), "-test.run", pattern)
	cmd.Dir = filepath.Join(l.root, filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), "LOSSCORR_REQUIRE_LIBTORCH=1") // a test that skips finds nothing
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return true, string(out), nil
	}
	return false, string(out), err
}

// firstFailure returns the name of the first test that failed, or the first line of a
// panic.
func firstFailure(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ = strings.Cut(name, " ")
			return name
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return ""
}
