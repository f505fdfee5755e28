// Package find finds the wrong labels of a user's own data.
//
// An audit has five steps. It trains networks on K-1 of K parts of the data, and each judges the part that it
// has not seen. It estimates T from these posteriors. If the labels show class-dependent mistakes, it trains
// the networks again with the loss corrected by T-hat. It fits clean posteriors and T to all labels and the
// labels of similar examples (judging.Fit). It ranks all examples by the probability that their label is
// wrong (judging.Model). If several people have labelled the examples, it judges the consensus of their
// answers. With another model's probabilities it trains no network ([Given]).
//
// [Find] takes a [Request] and writes the result into an [audit.Folder]. The networks are runs of a grid in
// that folder, so that an audit that was stopped or killed resumes.
package find
