// Package find finds the wrong labels of a user's own data.
//
// An audit trains networks on K-1 of K parts of the data and lets each judge the part
// that it has not seen; estimates T from these posteriors; where the labels show that they go wrong
// by class, trains the networks again with the loss corrected by T-hat; fits clean posteriors and T to all
// labels, with the evidence of similar examples (judging.Fit); and ranks all examples by the probability that
// their label is wrong (judging.Model). Where several people
// have labelled the examples it judges the consensus of their answers ([Crowd]); where
// another model's probabilities are given, it trains no network ([Given]).
//
// [Audit.Run] writes what was found into an [audit.Folder]. The networks are runs of a grid
// in that folder, so that an audit that was stopped or killed resumes.
package find
