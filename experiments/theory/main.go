// Theory measures Theorems 1 to 4 of the paper in float64, over random transition
// matrices, posteriors and networks, and its table of qualitative comparison.
//
//	go run ./experiments/theory               50 trials of each property
//	go run ./experiments/theory --trials 1000
//
// It prints the largest deviation of each property, writes the tables into runs/theory, and exits with 1 if a
// property does not hold as stated.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/torch"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("theory", flag.ContinueOnError)
	flags.SetOutput(stderr)
	trials := flags.Int("trials", 50, "trials of each property")
	seed := flags.Uint64("seed", 1, "seed of the random draws")
	out := flags.String("out", filepath.Join("runs", "theory"), "output folder of the tables")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return app.ExitDone
	case err != nil:
		return app.ExitUsage
	case flags.NArg() > 0 || *trials < 1:
		fmt.Fprintf(stderr, "theory: got arguments %q and %d trials: use no arguments and at least one trial\n",
			flags.Args(), *trials)
		return app.ExitUsage
	}
	if err := torch.Open(); err != nil {
		fmt.Fprintf(stderr, "theory: %v\n", err)
		return app.ExitUnavailable
	}
	var measured []property
	err := torch.Try(func() error {
		torch.SetThreads(1) // the tensors are tiny
		measured = measure(*trials, *seed)
		return writeTables(stdout, *out, measured)
	})
	if err != nil {
		fmt.Fprintf(stderr, "theory: %v\n", err)
		return app.ExitFailed
	}
	for _, p := range measured {
		if !p.asStated() {
			fmt.Fprintf(stderr, "theory: %s: %s: deviation %.2g\n", p.Statement, p.Measured, p.Deviation)
			return app.ExitFailed
		}
	}
	return app.ExitDone
}

// measure makes trials of every property. Each property has its own stream, so that adding one does not change the
// others.
func measure(trials int, seed uint64) []property {
	out := make([]property, len(properties))
	for k, p := range properties {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		p.Trials = trials
		for range trials {
			torch.Scope(func() { p.Deviation = max(p.Deviation, p.trial(rng)) })
		}
		out[k] = p
	}
	return out
}

// writeTables prints both tables and saves them in the folder.
func writeTables(w io.Writer, folder string, measured []property) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	for k, sheet := range []*report.Table{propertySheet(measured), comparisonSheet(measured)} {
		if k > 0 {
			fmt.Fprintln(w)
		}
		if err := sheet.WriteText(w); err != nil {
			return err
		}
		name := []string{"theory", "comparison"}[k]
		for _, format := range []struct {
			extension string
			write     func(io.Writer) error
		}{{".csv", sheet.WriteCSV}, {".md", sheet.WriteMarkdown}, {".tex", sheet.WriteLaTeX}} {
			if err := save(filepath.Join(folder, name+format.extension), format.write); err != nil {
				return fmt.Errorf("write the tables: %w", err)
			}
		}
	}
	return nil
}

func save(path string, write func(io.Writer) error) error {
	f, err := files.Create(path, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }()
	if err := write(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
