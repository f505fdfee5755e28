// Package similar compares examples by their features: neighbours, copies, linear discriminants, and distances to
// classes.
//
//	near := similar.Nearest(features, n, 30, nil)             // [n 30] rows, the nearest first
//	pairs := similar.Copies(features, n)                      // may show the same picture
//	logits := similar.Discriminants(features, shares, part, ridges) // for each ridge, by the other parts
package similar
