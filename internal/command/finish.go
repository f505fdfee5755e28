package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/figure"
	"github.com/losscorr/losscorr/internal/store"
)

// finish prints the tables of the requested runs beside the paper's. It writes a report of all
// runs below root into root or, if part is not empty, a report of the requested runs into the
// folder part of root.
func finish(w io.Writer, root, part string, outcomes []grid.Outcome) error {
	all, _ := report.Load(root) // losscorr report names damaged runs
	study := requested(all, outcomes)
	if len(study.Finished()) == 0 {
		return nil
	}
	doc := document{study: study, blocks: study.Blocks()}
	if err := doc.write(w, (*report.Table).WriteText); err != nil {
		return err
	}
	for _, b := range doc.blocks {
		for column := range b.Columns {
			for _, warning := range report.Warnings(b.Under(column)) {
				fmt.Fprintln(w, "warning for", warning)
			}
		}
	}
	fmt.Fprintln(w)
	if part != "" {
		return leaveReport(w, filepath.Join(root, part), doc)
	}
	return leaveReport(w, root, folderReport(root, all))
}

// folderReport returns the report of all runs of a folder.
func folderReport(root string, all *report.Study) document {
	return document{study: all, blocks: all.Blocks(), command: pageCommand([]string{root})}
}

// leaveReport writes the files and figures of a report into a folder and prints their names.
func leaveReport(w io.Writer, folder string, doc document) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	written, err := writeReport(folder, doc)
	drawn, failed := drawNoises(folder, doc.blocks)
	for _, path := range append(written, drawn...) {
		fmt.Fprintln(w, "written:", path)
	}
	if failed != nil { // not an error: the runs are done
		fmt.Fprintln(w, "not drawn:", failed)
	}
	return err
}

// drawNoises draws a figure for each noise in the blocks that have runs.
func drawNoises(folder string, blocks []*report.Block) (paths []string, failed error) {
	for _, b := range blocks {
		for column := range b.Columns {
			if len(b.Under(column)) == 0 {
				continue // a kept block has no runs
			}
			drawn, err := figure.SaveNoise(folder, b, column)
			paths, failed = append(paths, drawn...), errors.Join(failed, err)
		}
	}
	return paths, failed
}

// refresh writes the report of a folder if it already has one or the plan is finished. A plan
// of very many runs gets no report, since nobody could read its page.
func refresh(w io.Writer, root string, plan store.Plan) error {
	const many = 5000
	_, missing := os.Stat(filepath.Join(root, pageFile))
	if len(plan.Runs) > many || missing != nil && len(plan.Unfinished(root)) > 0 {
		return nil
	}
	all, _ := report.Load(root)
	if len(all.Finished()) == 0 {
		return nil
	}
	return leaveReport(w, root, folderReport(root, all))
}

// requested returns the requested runs of a study, in the order of outcomes.
func requested(all *report.Study, outcomes []grid.Outcome) *report.Study {
	study := &report.Study{}
	for _, o := range outcomes {
		k := slices.IndexFunc(all.Runs, func(r *report.Run) bool { return r.ID == o.ID })
		if k >= 0 {
			study.Runs = append(study.Runs, all.Runs[k])
		}
	}
	return study
}
