// Package judging computes the probability that each given label of a data set is wrong. Its inputs are out-of-fold
// posteriors of networks and the transition matrix T.
//
// # Two kinds of mistakes
//
// Class-dependent mistakes follow T: an example of class i is labelled j with probability T[i][j], whatever it looks
// like. Instance-dependent mistakes happen on hard examples. One label per example cannot tell the two kinds apart,
// so the package computes both. With y the given label, g the clean posterior p(y|x) of an example and m its
// likeliest class other than y:
//
//	w_T = rho (1 - T[y][y] g_y / sum over k of T[k][y] g_k)
//	w_E = 1 / (1 + exp(-2 (log g_m - log g_y)))
//
// rho is the probability that class-dependent mistakes exist at all: 1 / (1 + exp(8 - L)), where L is the evidence
// for T in nats ([estimators.Evidence]). The prior costs 8 nats because classes that networks have not learned look
// like noise. Any label may be wrong by accident, so w_T is at least its value for a symmetric T with 1 % of wrong
// labels.
//
// If a share pi of the mistakes is instance-dependent, a label is wrong with probability
//
//	w = pi w_E + (1 - pi) w_T
//
// Before anybody has checked labels, pi is 1 / (2 + 10 L/N): half, or less if T explains the labels much better than
// posteriors without it, as it does for strong networks. The number of wrong labels is then somewhere between sum w_T
// and sum w_E; random checks narrow it down ([checking]).
//
// # The clean posterior
//
// [Fit] computes g and T from networks' logits z and further evidence e_k, such as the labels of similar examples, by
// minimizing the forward loss on the given labels:
//
//	g = softmax(a z + b + sum over k of w_k e_k)
//
// [New] computes w_T and w_E from g and T, and [Model.Judge] combines them:
//
//	fitted, err := judging.Fit(judging.Input{Logits: logits, Labels: labels, T: t})
//	...
//	model, err := judging.New(fitted.G, labels, fitted.T, evidence)
//	...
//	judgement := model.Judge(model.Pi, nil, nil, false)
//	for _, i := range judgement.Order[:10] {
//		fmt.Println(i, judgement.Wrong[i], judgement.Suggested[i])
//	}
package judging
