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
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/torch"
)

func main() { os.Exit(tool.Main("theory", os.Stdout, run)) }

func run(_ context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("theory", flag.ContinueOnError)
	trials := flags.Int("trials", 50, "trials of each property")
	seed := flags.Uint64("seed", 1, "seed of the random draws")
	out := flags.String("out", filepath.Join("runs", "theory"), "output folder of the tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *trials < 1 {
		return fmt.Errorf("got arguments %q and %d trials: use no arguments and at least one trial", flags.Args(), *trials)
	}
	if err := torch.Open(); err != nil {
		return err
	}
	return torch.Try(func() error {
		torch.SetThreads(1) // the tensors are tiny
		measured := measure(*trials, *seed)
		if err := writeTables(stdout, *out, measured); err != nil {
			return err
		}
		for _, p := range measured {
			if !p.asStated() {
				return fmt.Errorf("%s: %s: deviation %.2g", p.Statement, p.Measured, p.Deviation)
			}
		}
		return nil
	})
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
		for extension, write := range map[string]func(io.Writer) error{
			".csv": sheet.WriteCSV, ".md": sheet.WriteMarkdown, ".tex": sheet.WriteLaTeX,
		} {
			var b bytes.Buffer
			err := write(&b)
			if err == nil {
				err = files.Write(filepath.Join(folder, name+extension), b.Bytes(), 0o666)
			}
			if err != nil {
				return fmt.Errorf("write the tables: %w", err)
			}
		}
	}
	return nil
}
