package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/report/figure"

	"github.com/losscorr/losscorr/grid"
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
	for _, t := range tables {
		for column := range t.Columns {
			paths, failed := figure.SaveNoise(root, t, column)
			written = append(written, paths...)
			if failed != nil { // the runs are done all the same
				fmt.Fprintln(w, "not drawn:", failed)
			}
			runs := t.Under(column)
			report.WriteEstimate(w, runs)
			report.WriteCleanAccuracy(w, runs)
			report.WriteWarnings(w, runs)
		}
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
	return files.Write(path, b.Bytes(), 0o666)
}
