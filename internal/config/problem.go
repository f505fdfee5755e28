package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is where a value of a configuration was written.
type Position struct {
	Source string // a file, "override" or "preset code"
	Line   int    // 1-based; 0 without lines
	Column int
}

// String returns the position as file:line:column, without unknown parts.
func (p Position) String() string {
	if p.Line == 0 {
		return p.Source
	}
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}

// Problem is one thing wrong with a configuration.
type Problem struct {
	At   Position // zero if no file set the value
	Key  string   // dotted, such as optimizer.learning_rate; may be empty
	Text string   // what is wrong and how to fix it
}

// String returns the problem on one line, shortened if it is very long.
func (p Problem) String() string {
	const most = 10_000
	parts := []string{p.At.String(), p.Key, p.Text}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	line := strings.Join(parts, ": ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "..."
	}
	return line
}

// ConfigError lists all problems of a configuration, so that all can be fixed at once.
type ConfigError struct {
	Problems []Problem
}

// Error lists the problems.
func (e *ConfigError) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d problems in the configuration", len(e.Problems))
	const most = 50
	for _, p := range e.Problems[:min(most, len(e.Problems))] {
		b.WriteString("\n  " + p.String())
	}
	if more := len(e.Problems) - most; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// problems collects problems without duplicates: the runs of a grid share most of their values, so one bad value would
// be reported once for each run.
type problems struct {
	list []Problem
	seen map[Problem]bool
}

func (ps *problems) add(at Position, key, format string, args ...any) {
	ps.put(problemf(at, key, format, args...))
}

func (ps *problems) put(p Problem) {
	if ps.seen == nil {
		ps.seen = map[Problem]bool{}
	}
	if !ps.seen[p] {
		ps.seen[p] = true
		ps.list = append(ps.list, p)
	}
}

func (ps *problems) err() error {
	if len(ps.list) == 0 {
		return nil
	}
	// Sort by position, files in the order of their first problem.
	rank := map[string]int{}
	for _, p := range ps.list {
		if _, known := rank[p.At.Source]; !known {
			rank[p.At.Source] = len(rank)
		}
	}
	slices.SortStableFunc(ps.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(rank[a.At.Source], rank[b.At.Source]), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column))
	})
	return &ConfigError{Problems: ps.list}
}

// NewError returns a *ConfigError with these problems, nil if the list is empty.
func NewError(list ...Problem) error {
	var ps problems
	for _, p := range list {
		ps.put(p)
	}
	return ps.err()
}

func problemf(at Position, key, format string, args ...any) Problem {
	return Problem{At: at, Key: key, Text: fmt.Sprintf(format, args...)}
}
