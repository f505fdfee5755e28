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
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
)

// finish prints the table of finished runs beside the paper's, and leaves it
// with the figures in the folder that holds the runs.
func finish(w io.Writer, root string, outcomes []grid.Outcome) error {
	var results []store.Result
	for _, o := range outcomes {
		if o.Finished() {
			results = append(results, o.Result)
		}
	}
	if len(results) == 0 {
		return nil
	}
	tables := report.Tables(results)
	for _, t := range tables {
		if err := t.WriteText(w, report.TextOptions{}); err != nil {
			return err
		}
	}
	study := asked(root, outcomes)
	written, err := writeReport(root, document{study: study, tables: tables, command: pageCommand([]string{root})})
	for _, column := range byNoise(results) {
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

// asked is what lies in root of the runs that were asked for.
func asked(root string, outcomes []grid.Outcome) *report.Study {
	var s report.Scanner
	study, _ := s.Scan(root) // what else lies there, damaged or not, does not matter
	study.Records = slices.DeleteFunc(study.Records, func(r *report.Record) bool {
		return !slices.ContainsFunc(outcomes, func(o grid.Outcome) bool { return o.ID == r.ID })
	})
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

// byNoise groups results that share all but the loss and the seed.
func byNoise(results []store.Result) [][]store.Result {
	var keys []string
	groups := map[string][]store.Result{}
	for _, r := range results {
		c := r.Config
		key := fmt.Sprint(c.Dataset, c.Model, c.Preset, c.Noise)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	var out [][]store.Result
	for _, key := range keys {
		out = append(out, groups[key])
	}
	return out
}

// writeFigure draws one noise: learning curves by loss, T beside T-hat of the
// first seed.
func writeFigure(root string, results []store.Result) ([]string, error) {
	var curves []report.Curve
	for _, r := range results {
		epochs, err := report.ReadMetrics(filepath.Join(root, r.ID, store.MetricsFile))
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(curves, func(c report.Curve) bool { return c.Name == r.Config.Loss })
		if i < 0 {
			i, curves = len(curves), append(curves, report.Curve{Name: r.Config.Loss})
		}
		curves[i].Runs = append(curves[i].Runs, epochs)
	}
	c := results[0].Config
	figure := report.DemoFigure(fmt.Sprintf("%s, %s", c.Dataset, column(c)), curves, estimated(results).Transition)
	name := fmt.Sprintf("%s-%s-%s-%s", c.Dataset, c.Network(), c.Preset, c.Noise.Kind)
	if c.Noise.Level != 0 {
		name += fmt.Sprintf("-%g", c.Noise.Level)
	}
	if c.Noise.File != "" {
		name += "-" + strings.TrimSuffix(filepath.Base(c.Noise.File), filepath.Ext(c.Noise.File))
	}
	return figure.Save(filepath.Join(root, name))
}

func column(c config.Config) report.Column {
	return report.ColumnOf(c)
}

// estimated is the first result that holds a T-hat, or an empty one.
func estimated(results []store.Result) store.Result {
	for _, r := range results {
		if r.Transition != nil && r.Transition.Estimated != nil {
			return r
		}
	}
	return store.Result{}
}

// printEstimate shows T-hat as numbers.
func printEstimate(w io.Writer, results []store.Result) {
	first := estimated(results)
	c, t := first.Config, first.Transition
	if t == nil || c.Noise.Kind == correction.NoNoise {
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

// printWarnings tells what the runs of one noise warn of: rows of T-hat that cannot
// be trusted, images that were left out.
func printWarnings(w io.Writer, results []store.Result) {
	said := map[string]bool{} // runs that share an estimate share its warnings
	for _, r := range results {
		for _, warning := range r.Warnings {
			line := fmt.Sprintf("warning (seed %d): %s", r.Config.Seed, warning)
			if !said[line] {
				fmt.Fprintln(w, line)
			}
			said[line] = true
		}
	}
}
