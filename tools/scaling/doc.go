// Package scaling measures how cost grows, for `make scaling` (cmd/scaling): of a training
// step with batch, width and classes, of the estimators of T and the ranking of labels with
// examples and classes, of plans and reports with runs, and of decoding with workers.
//
// A subject measures lines of points. The exponent of a line is that of the power law
// fitted to the upper half of its range, where fixed cost no longer matters; beside it
// stands the exponent that the algorithm's mathematics gives:
//
//	cost = factor x^exponent
//
// What is measured is random and seeded, so that each program has the same work.
package scaling
