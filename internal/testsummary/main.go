// Command testsummary runs go test with its arguments, shows what fails, and ends
// with one line of counts:
//
//	412 passed, 0 failed, 3 skipped
//
// Counted are top-level tests and examples; a package that does not build, or dies
// outside a test, counts as one failure. The exit status is that of go test.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "testsummary: start go test: %v\n", err)
		return 1
	}
	total, err := summarize(out, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "testsummary: read go test's output: %v\n", err)
	}
	waited := cmd.Wait()
	fmt.Printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed, total.skipped)
	var exit *exec.ExitError
	switch {
	case errors.As(waited, &exit):
		return exit.ExitCode()
	case waited != nil || err != nil || total.failed > 0:
		return 1
	}
	return 0
}

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build events
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

type counts struct{ passed, failed, skipped int }

type summary struct {
	counts
	out     io.Writer
	output  map[string][]string // by package and test, until it ends
	failing map[string]bool     // packages with a failed test
}

// summarize reads events until the end and writes a line per package, with the
// output of what failed and the reason of what was skipped.
func summarize(in io.Reader, out io.Writer) (counts, error) {
	s := &summary{out: out, output: map[string][]string{}, failing: map[string]bool{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			_, _ = fmt.Fprintln(out, lines.Text()) // go's own words, for instance on a bad flag
			continue
		}
		s.take(e)
	}
	return s.counts, lines.Err()
}

func (s *summary) take(e event) {
	switch {
	case e.Action == "output":
		key := keyOf(e)
		s.output[key] = append(s.output[key], e.Output)
	case e.Action == "build-output":
		s.output["build "+e.ImportPath] = append(s.output["build "+e.ImportPath], e.Output)
	case e.Test == "":
		s.endPackage(e)
	default:
		s.endTest(e)
	}
}

// keyOf files the output of a subtest under its top-level test.
func keyOf(e event) string {
	top, _, _ := strings.Cut(e.Test, "/")
	return e.Package + "\x00" + top
}

func (s *summary) endTest(e event) {
	if strings.Contains(e.Test, "/") {
		return
	}
	key := keyOf(e)
	switch e.Action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
		s.printf("--- SKIP %s %s: %s\n", e.Package, e.Test, reason(s.output[key]))
	case "fail":
		s.failed++
		s.failing[e.Package] = true
		s.printf("--- FAIL %s %s (%.1f s)\n%s", e.Package, e.Test, e.Elapsed, strings.Join(s.output[key], ""))
	default:
		return
	}
	delete(s.output, key)
}

func (s *summary) endPackage(e event) {
	key := keyOf(e)
	switch e.Action {
	case "pass":
		s.printf("ok   %s (%.1f s)\n", e.Package, e.Elapsed)
	case "fail":
		s.printf("FAIL %s (%.1f s)\n", e.Package, e.Elapsed)
		if !s.failing[e.Package] {
			s.failed++
			s.printf("%s%s", strings.Join(s.output["build "+e.FailedBuild], ""), strings.Join(s.output[key], ""))
		}
		// A crash leaves the tests that ran without an end.
		for k, lines := range s.output {
			if k != key && strings.HasPrefix(k, e.Package+"\x00") {
				s.printf("%s", strings.Join(lines, ""))
			}
		}
	case "skip": // no test files
	default:
		return
	}
	delete(s.output, key)
}

// reason finds the words given to t.Skip among a test's output.
func reason(output []string) string {
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return line
		}
	}
	return "no reason given"
}

func (s *summary) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format, args...) // stdout: nowhere to report its failure
}
