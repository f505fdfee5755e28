// Package report turns finished runs into what people read: tables with the
// paper's numbers beside ours, statistics, and figures.
//
// WritePage puts it all on one HTML page that needs nothing else: tables,
// accuracy against N, learning curves, T beside its estimate, wall time, failed
// runs, and the command for each.
//
// A run's folder holds result.json, written last, and metrics.jsonl, one line
// an epoch. Load collects them, Tables puts one row a loss and one column a
// noise, in the paper's order:
//
//	results, err := report.Load("runs/mnist")
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // names what could not be read
//	}
//	tables := report.Tables(results)
//	for _, t := range tables {
//		err = t.WriteText(os.Stdout, report.TextOptions{Width: 100})
//	}
//	err = report.WriteCSV(file, tables, losscorr.Version)
//
// Each cell has the mean and the sample standard deviation over seeds of the
// test accuracy, both at the selected epoch (lowest loss on noisy validation
// labels) and at the last one, because published figures mix the two. Bold type,
// star and dagger follow the caption of the paper's Table 2; see Marks. Quick
// runs stand in tables of their own, which say so, and so do runs on a copy of
// the data that is not the official one.
//
// Table2Coverage says which of the paper's 240 cells there are, Table3 sets runs
// on Clothing1M beside the paper's, and NewSweep makes a panel of the paper's
// figures of a table. Figures are written as SVG, PNG and PDF, the same bytes at
// every run.
package report
