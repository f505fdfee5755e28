// Package similar compares examples by their features: their neighbours, their copies, and how near they are to
// each class. Features are n x d, row by row, as train.Features returns them.
package similar
