// Package figure draws the plots of a report: learning curves, accuracy against
// the noise level, and transition matrices as heat maps.
//
// A Figure is drawn once and written in every format: Save writes reproducible SVG
// and PNG files, and Element returns an SVG element for a page:
//
//	f := figure.Matrices(transition)
//	paths, err := f.Save("runs/mnist/T") // T.svg, T.png
//	element := f.Element("chart", "test accuracy by epoch")
//
// The rows of a table have the same colours, dashes and marks in all figures, which colour-blind readers and grey
// prints can distinguish.
package figure
