package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// draw draws every panel for which there are runs, alone and all in one figure,
// and T beside its estimate. It says which panels lack runs.
func draw(w io.Writer, runs string, quick bool) error {
	folder := filepath.Join(runs, "figures")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var sweeps []*report.Sweep
	var damage []error
	save := func(f *report.Figure, name string) error {
		written, err := f.Save(filepath.Join(folder, name))
		for _, path := range written {
			fmt.Fprintln(w, "written:", path)
		}
		return err
	}
	for _, block := range paper.Blocks() {
		results, err := load(filepath.Join(folder, block.Name()), filepath.Join(runs, block.Name()))
		damage = append(damage, err)
		if quick {
			results = slices.DeleteFunc(results, func(r store.Result) bool { return !r.Config.Quick })
		}
		s := report.NewSweep(block, report.Tables(results))
		if s == nil {
			fmt.Fprintf(w, "no runs for panel %s: make figures BLOCK=%s\n", report.SweepName(block), block.Name())
			continue
		}
		sweeps = append(sweeps, s)
		if err := save(report.SweepsFigure([]*report.Sweep{s}), "accuracy-"+block.Name()); err != nil {
			return err
		}
		if example := exampleOfT(results); block.Name() == "mnist" && example != nil {
			n := example.Config.Noise.Level
			fmt.Fprintf(w, "T at N = %g, and T-hat of run %s (%s)\n", n, example.ID, example.Config.Estimator.Name)
			if err := save(report.MatricesFigure(example.Transition), fmt.Sprintf("transition-mnist-%g", n)); err != nil {
				return err
			}
		}
	}
	if len(sweeps) > 0 {
		if err := save(report.SweepsFigure(sweeps), "accuracy"); err != nil {
			return err
		}
	}
	if err := errors.Join(damage...); err != nil {
		return fmt.Errorf("%w: %w", store.ErrData, err)
	}
	return nil
}

// load reads the results in folders, of which some need not be there.
func load(folders ...string) ([]store.Result, error) {
	var all []store.Result
	var problems []error
	for _, folder := range folders {
		results, err := report.Load(folder)
		all = append(all, results...)
		if err != nil && !errors.Is(err, report.ErrNone) && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return all, errors.Join(problems...)
}

// exampleOfT is the run for the two heat maps of Equation bigT: an estimate at
// asymmetric N = .7 or else at the highest level there is, of a full run if
// there is one, of the lowest seed.
func exampleOfT(results []store.Result) *store.Result {
	var best *store.Result
	for k := range results {
		r := &results[k]
		if r.Config.Noise.Kind != "asymmetric" || r.Transition == nil || r.Transition.Estimated == nil {
			continue
		}
		if best == nil || better(r, best) {
			best = r
		}
	}
	return best
}

func better(a, b *store.Result) bool {
	switch {
	case a.Config.Noise.Level != b.Config.Noise.Level:
		return a.Config.Noise.Level == .7 || b.Config.Noise.Level != .7 && a.Config.Noise.Level > b.Config.Noise.Level
	case a.Config.Quick != b.Config.Quick:
		return b.Config.Quick
	}
	return a.Config.Seed < b.Config.Seed
}
