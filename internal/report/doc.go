// Package report turns finished runs into tables with the paper's numbers beside
// ours. Its subpackages draw figures (report/figure) and write one page (report/html).
//
// Load reads folders of runs into a Study. A Cell summarises runs that differ only in their
// seed, a Block has a row for each loss and a column for each noise, in the paper's order, and
// a Table is its printed form:
//
//	study, err := report.Load("runs/mnist")
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // names what could not be read
//	}
//	for _, b := range study.Blocks() {
//		err = b.Table().WriteText(os.Stdout)
//	}
//	err = report.CellsTable(study.Blocks()).WriteCSV(file)
//
// Each Cell has the mean and the sample standard deviation over seeds of the
// test accuracy, both at the selected epoch (lowest loss on noisy validation
// labels) and at the last one, because published figures mix the two. Bold type,
// star and dagger follow the caption of the paper's Table 2; see Marks. Quick
// runs, and runs on an unofficial copy of the data, are in separate, marked
// blocks.
//
// Every report is a Table, written as text, Markdown, LaTeX or CSV: the tables of blocks, List of all runs with
// their settings, CellsTable of all cells, Claims about the paper's text, and Table3 of runs on Clothing1M.
// ReadCells reads CellsTable back, so that results can be kept without their runs. A Sweep is a panel of the
// paper's figures.
package report
