package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/report/figure"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/store"
)

// finish prints the table of finished runs beside the paper's, and leaves it
// with the figures in the folder that holds the runs.
func finish(w io.Writer, root string, outcomes []grid.Outcome) error {
	study := requested(root, outcomes)
	if len(study.Finished()) == 0 {
		return nil
	}
	tables := study.Tables()
	for _, t := range tables {
		if err := t.WriteText(w); err != nil {
			return err
		}
	}
	written, err := writeReport(root, document{study: study, tables: tables, command: pageCommand([]string{root})})
	for _, column := range byNoise(study.Finished()) {
		paths, failed := writeFigure(root, column)
		written, err = append(written, paths...), errors.Join(err, failed)
		printEstimate(w, column)
		printWarnings(w, column)
	}
	fmt.Fprintln(w)
	for _, path := range written {
		fmt.Fprintln(w, "written:", path)
	}
	return err
}

// requested is what lies in root of the runs that were requested, in their order.
func requested(root string, outcomes []grid.Outcome) *report.Study {
	found, _ := report.Load(root) // other runs there, damaged or not, do not matter
	study := &report.Study{}
	for _, o := range outcomes {
		k := slices.IndexFunc(found.Runs, func(r *report.Run) bool { return r.ID == o.ID })
		if k >= 0 {
			study.Runs = append(study.Runs, found.Runs[k])
		}
	}
	return study
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return renameio.WriteFile(path, b.Bytes(), 0o666)
}

// byNoise groups runs that share all but the loss and the seed.
func byNoise(runs []*report.Run) [][]*report.Run {
	var keys []string
	groups := map[string][]*report.Run{}
	for _, r := range runs {
		c := r.Config
		key := fmt.Sprint(c.Dataset, c.Model, c.Preset, c.Noise)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	var out [][]*report.Run
	for _, key := range keys {
		out = append(out, groups[key])
	}
	return out
}

// writeFigure draws one noise: learning curves by loss, T beside T-hat of the
// first seed.
func writeFigure(root string, runs []*report.Run) ([]string, error) {
	var losses []string
	byLoss := map[string][]*report.Run{}
	for _, r := range runs {
		if byLoss[r.Config.Loss] == nil {
			losses = append(losses, r.Config.Loss)
		}
		byLoss[r.Config.Loss] = append(byLoss[r.Config.Loss], r)
	}
	var curves []figure.Curve
	for _, loss := range losses {
		curve, err := figure.CurveOf(report.Row{Name: loss, Loss: loss}, byLoss[loss])
		if err != nil {
			return nil, err
		}
		curves = append(curves, curve)
	}
	c := runs[0].Config
	f := figure.Demo(fmt.Sprintf("%s, %s", c.Dataset, column(c)), curves, estimated(runs).Transition)
	name := fmt.Sprintf("%s-%s-%s-%s", c.Dataset, c.Network(), c.Preset, c.Noise.Kind)
	if c.Noise.Level != 0 {
		name += fmt.Sprintf("-%g", c.Noise.Level)
	}
	if c.Noise.File != "" {
		name += "-" + strings.TrimSuffix(filepath.Base(c.Noise.File), filepath.Ext(c.Noise.File))
	}
	return f.Save(filepath.Join(root, name))
}

func column(c config.Config) report.Column {
	return report.ColumnOf(c)
}

// estimated is the first result that holds a T-hat, or an empty one.
func estimated(runs []*report.Run) store.Result {
	for _, r := range runs {
		if t := r.Result.Transition; t != nil && t.Estimated != nil {
			return *r.Result
		}
	}
	return store.Result{}
}

// printEstimate shows T-hat as numbers.
func printEstimate(w io.Writer, runs []*report.Run) {
	first := estimated(runs)
	c, t := first.Config, first.Transition
	if t == nil || c.Noise.Kind == "none" {
		return
	}
	fmt.Fprintf(w, "\nT-hat by %s, %s noise, seed %d (rows: true class); mean L1 distance of a row from T: %.3f\n",
		c.Estimator.Name, column(c), c.Seed, t.EstimateError)
	for i, row := range t.Estimated {
		fmt.Fprintf(w, "%12s ", t.Classes[i])
		for _, v := range row {
			if v < .005 {
				fmt.Fprint(w, "    . ")
			} else {
				fmt.Fprintf(w, "  %.2f", v)
			}
		}
		fmt.Fprintln(w)
	}
	if t.NamedBy != "" {
		fmt.Fprintf(w, "rows named by %s\n", t.NamedBy)
	}
}

// printWarnings prints the warnings of the runs of one noise: rows of T-hat that cannot
// be trusted, images that were left out.
func printWarnings(w io.Writer, runs []*report.Run) {
	said := map[string]bool{} // runs that share an estimate share its warnings
	for _, r := range runs {
		for _, warning := range r.Result.Warnings {
			line := fmt.Sprintf("warning (seed %d): %s", r.Result.Config.Seed, warning)
			if !said[line] {
				fmt.Fprintln(w, line)
			}
			said[line] = true
		}
	}
}
