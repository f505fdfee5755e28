// Package report turns finished runs into tables with the paper's numbers beside
// ours, and into statistics. Its folders draw them (report/figure) and put them on
// one page (report/html).
//
// Load reads folders of runs into a Study. Tables puts its finished runs into
// tables, one row per loss and one column per noise, in the paper's order:
//
//	study, err := report.Load("runs/mnist")
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // names what could not be read
//	}
//	tables := study.Tables()
//	for _, t := range tables {
//		err = t.WriteText(os.Stdout)
//	}
//	err = report.WriteCSV(file, tables, losscorr.Version)
//
// Each Cell has the mean and the sample standard deviation over seeds of the
// test accuracy, both at the selected epoch (lowest loss on noisy validation
// labels) and at the last one, because published figures mix the two. Bold type,
// star and dagger follow the caption of the paper's Table 2; see Marks. Quick
// runs stand in tables of their own, which say so, and so do runs on a copy of
// the data that is not the official one.
//
// A Sheet is a table of values: List makes one of all runs with their settings, ListEpochs
// one of their epochs, CoverageSheet says which of the paper's 240 cells there are, and
// Table3 sets runs on Clothing1M beside the paper's. A Sweep is a panel of the paper's figures.
// Tables and sheets are written as text, Markdown, LaTeX, CSV and JSON, a sheet as
// Parquet too.
package report
