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

// finish prints the tables of the runs that were requested beside the paper's. It leaves
// the report of all runs of the folder root there, those of earlier commands too, or that
// of the requested runs in part, a folder in root, where part is not empty.
func finish(w io.Writer, root, part string, outcomes []grid.Outcome) error {
	all, _ := report.Load(root) // damaged runs are named by losscorr report
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
			runs := b.Under(column)
			if t := report.EstimateTable(runs); t != nil {
				fmt.Fprintln(w)
				if err := t.WriteText(w); err != nil {
					return err
				}
			}
			report.WriteWarnings(w, runs)
		}
	}
	fmt.Fprintln(w)
	if part != "" {
		return leaveReport(w, filepath.Join(root, part), doc)
	}
	return leaveReport(w, root, folderReport(root, all))
}

// folderReport is the report of all runs of a folder.
func folderReport(root string, all *report.Study) document {
	return document{study: all, blocks: all.Blocks(), command: pageCommand([]string{root})}
}

// leaveReport writes the files of a report and its figures into a folder and names them.
func leaveReport(w io.Writer, folder string, doc document) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	written, err := writeReport(folder, doc)
	drawn, failed := drawNoises(folder, doc.blocks)
	for _, path := range append(written, drawn...) {
		fmt.Fprintln(w, "written:", path)
	}
	if failed != nil { // the runs are done all the same
		fmt.Fprintln(w, "not drawn:", failed)
	}
	return err
}

// drawNoises draws a figure for each noise of blocks that have runs.
func drawNoises(folder string, blocks []*report.Block) (paths []string, failed error) {
	for _, b := range blocks {
		for column := range b.Columns {
			if len(b.Under(column)) == 0 {
				continue // of a kept block
			}
			drawn, err := figure.SaveNoise(folder, b, column)
			paths, failed = append(paths, drawn...), errors.Join(failed, err)
		}
	}
	return paths, failed
}

// refresh writes the report of a folder again if there is one already, or if no run of the
// plan is left to do; nothing of a plan of very many runs, whose page nobody could read.
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

// requested are the runs of a study that were requested, in their order.
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
