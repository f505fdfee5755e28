// Package similar compares examples by their features: neighbours, copies, linear discriminants, and distances from the
// classes.
//
//	near := similar.Nearest(features, n, 30, nil)             // [n 30] rows, the nearest first
//	pairs := similar.Copies(features, n)                      // so much alike that both may be the same picture
//	logits := similar.Discriminants(features, shares, part, ridges) // for each ridge, out of part
package similar
