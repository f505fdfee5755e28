package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
)

// draw draws every panel that has runs, separately and all in one figure, and T beside its estimate. It lists the
// panels without runs.
func draw(w io.Writer, root string, quick bool) error {
	folder := filepath.Join(root, "figures")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var sweeps []*report.Sweep
	var damage []error
	save := func(f *figure.Figure, name string) error {
		written, err := f.Save(filepath.Join(folder, name))
		for _, path := range written {
			fmt.Fprintln(w, "written:", path)
		}
		return err
	}
	for _, block := range paper.Blocks() {
		runs, err := load(filepath.Join(folder, block.Name()), filepath.Join(root, block.Name()))
		damage = append(damage, err)
		if quick {
			runs = slices.DeleteFunc(runs, func(r *report.Run) bool { return !r.Config.Quick })
		}
		s := report.NewSweep(block, report.Blocks(report.Cells(runs)))
		if s == nil {
			fmt.Fprintf(w, "no runs for panel %s: make figures BLOCK=%s\n", report.SweepName(block), block.Name())
			continue
		}
		sweeps = append(sweeps, s)
		if err := save(figure.Sweeps([]*report.Sweep{s}), "accuracy-"+block.Name()); err != nil {
			return err
		}
		if example := exampleOfT(runs); block.Name() == "mnist" && example != nil {
			n := example.Config.Noise.Level
			fmt.Fprintf(w, "T at N = %g, and T-hat of run %s (%s)\n", n, example.ID, example.Config.Estimator.Name)
			if err := save(figure.Matrices(example.Transition), fmt.Sprintf("transition-mnist-%g", n)); err != nil {
				return err
			}
		}
	}
	if len(sweeps) > 0 {
		if err := save(figure.Sweeps(sweeps), "accuracy"); err != nil {
			return err
		}
	}
	if err := errors.Join(damage...); err != nil {
		return dataset.Errorf("%w", err)
	}
	return nil
}

// load reads the finished runs in folders and skips folders that do not exist.
func load(folders ...string) ([]*report.Run, error) {
	var all []*report.Run
	var problems []error
	for _, folder := range folders {
		study, err := report.Load(folder)
		all = append(all, study.Finished()...)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return all, errors.Join(problems...)
}

// exampleOfT returns the run for the two heat maps of Equation bigT: an estimate at asymmetric N = .7 or else at the
// highest level, preferring full runs, then the lowest seed.
func exampleOfT(runs []*report.Run) *store.Result {
	var best *store.Result
	for _, run := range runs {
		r := run.Result
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
