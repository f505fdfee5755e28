// Package html writes a study as one HTML page that needs nothing else: tables
// beside the paper's, accuracy against N, learning curves, T beside its estimate,
// wall time, failed runs, and the command for each.
//
//	study, err := report.Load("runs/mnist")
//	...
//	err = html.Write(file, study, html.Options{Program: "losscorr 0.1.0"})
//
// The page has no scripts and loads nothing. It follows the reader's light or
// dark scheme; unticking a row in a legend hides it in the figures of its table.
package html
