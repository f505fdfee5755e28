// Package html writes a study as one self-contained HTML page: tables beside the
// paper's, accuracy against N, learning curves, and T beside its estimate.
//
//	study, err := report.Load("runs/mnist")
//	...
//	err = html.Write(file, study, html.Options{Program: "losscorr 0.1.0"})
//
// The page has no scripts and loads nothing. It has a light and a dark scheme.
package html
