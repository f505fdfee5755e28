// Skips holds the skipped tests of a run of go test -json against those that are allowed:
//
//	go run ./internal/skips build/test.jsonl
//
// allowed.txt lists them with what runs them instead. Where CI is set, a test or a subtest
// that is skipped and not listed is an error; elsewhere it is printed.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/internal/tool"
)

//go:embed allowed.txt
var allowedText string

func main() { os.Exit(tool.Main("skips", os.Stdout, run)) }

func run(_ context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: skips FILE")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	unknown, err := unlisted(file, allowedText)
	if err != nil || len(unknown) == 0 {
		return err
	}
	text := fmt.Sprintf("skipped, and not in internal/skips/allowed.txt:\n\t%s", strings.Join(unknown, "\n\t"))
	if os.Getenv("CI") == "" {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	return fmt.Errorf("%s", text)
}

// unlisted returns the skipped tests of the events of go test -json that no line of
// allowed, a regular expression and a reason, matches.
func unlisted(events io.Reader, allowed string) ([]string, error) {
	var patterns []*regexp.Regexp
	for line := range strings.Lines(allowed) {
		pattern, reason, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("allowed.txt: %s has no reason", pattern)
		}
		re, err := regexp.Compile("^(" + pattern + ")$")
		if err != nil {
			return nil, fmt.Errorf("allowed.txt: %w", err)
		}
		patterns = append(patterns, re)
	}
	var unknown []string
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read the events: %w", err)
		}
		if e.Action != "skip" || e.Test == "" {
			continue
		}
		name := strings.TrimPrefix(e.Package, "github.com/losscorr/losscorr/") + " " + e.Test
		listed := false
		for _, re := range patterns {
			listed = listed || re.MatchString(name)
		}
		if !listed {
			unknown = append(unknown, name)
		}
	}
	return unknown, lines.Err()
}
