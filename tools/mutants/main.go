// Mutants checks the tests: it plants one bug at a time in the project's code and runs the
// tests that have to find it.
//
//	go run ./tools/mutants [-jobs N] [-only PATTERN] [-list]
//
// The bugs are in list/*.yaml, each a change of one place in one file (see Mutant). The
// working tree is not touched: the go command compiles a mutant through an overlay. A mutant
// is killed if a test fails. The program fails if one survives, does not apply or does not
// compile, or if a test fails without any.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/tool"
)

//go:embed list/*.yaml
var lists embed.FS

func main() { os.Exit(tool.Main("mutants", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	jobs := flags.Int("jobs", runtime.NumCPU(), "mutants that are tested at a time")
	only := flags.String("only", "", "test the mutants whose name, file or package matches this regular expression")
	limit := flags.Duration("timeout", 5*time.Minute, "time of one test, after which its mutant counts as killed")
	show := flags.Bool("list", false, "print the mutants and test none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	all, err := readLists(lists, root)
	if err != nil {
		return err
	}
	chosen := all.matching(pattern)
	if len(chosen) == 0 {
		return fmt.Errorf("-only %s: no mutant of %d matches", *only, len(all))
	}
	if *show {
		for _, m := range chosen {
			fmt.Fprintf(out, "%-40s %s\n", m.File, m.Name)
		}
		return nil
	}
	l := lab{root: root, jobs: max(1, *jobs), limit: *limit, out: out}
	return l.report(ctx, chosen)
}

// moduleRoot returns the folder of go.mod.
func moduleRoot(ctx context.Context) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(dir)), nil
}

// report tests the mutants and prints each result as it comes. The error names those that
// survived.
func (l lab) report(ctx context.Context, chosen List) error {
	begun := time.Now()
	if err := l.healthy(ctx, chosen); err != nil {
		return err
	}
	fmt.Fprintf(l.out, "the tests pass without a mutant, %v\n", time.Since(begun).Round(time.Second))
	var survived []string
	results, err := l.try(ctx, chosen)
	for _, r := range results {
		if !r.killed {
			survived = append(survived, fmt.Sprintf("%s: %s\n\t%q\n\t%q\n\tnot found by %s", r.mutant.File, r.mutant.Name, r.mutant.Old, r.mutant.New, r.mutant.Test))
		}
	}
	fmt.Fprintf(l.out, "%d mutants: %d killed, %d survived, %v\n", len(results), len(results)-len(survived), len(survived), time.Since(begun).Round(time.Second))
	if len(survived) > 0 {
		err = errors.Join(err, errors.New("survived:\n"+strings.Join(survived, "\n")))
	}
	return err
}
