// Package annotators says which labels are right where several people label the same
// examples, and how good each of them is.
//
// [Answers] are who gave which label to which example. Each person r has a transition matrix
// of their own, with the true class k in rows as everywhere in this project:
//
//	T_r[k][l] = P(r answers l | the true class is k)
//
// A [Consensus] has the probability of each class for each example, which are q_i(k), and the
// matrices. [Estimate] makes one with the method that Options names; [All] is the table of
// them. That of the project is "transition":
//
//	q_i(k) ∝ g_i(k)^a prod over answers y_ir of T_r[k][y_ir]^b
//
// g is the posterior of networks that have not seen the example, trained on the soft labels
// q of others; without it, the shares of the classes. T_r are counts of answers weighted by
// q; people with few answers get the matrix of all. The exponents a and b are there since
// answers to the same hard example go wrong together, and the network with them. They are
// found without true labels: they give the answers of each person the most probability, if
// the others and the network are all that is known.
//
//	answers, err := annotators.New(names, classes, list)   // list of {Task, Worker, Label}
//	if err != nil {
//		return err // which answer is out of range or twice there
//	}
//	c, err := annotators.Estimate(answers, annotators.Options{Posteriors: g})
//	if err != nil {
//		return err
//	}
//	c.Label[0], c.Sure(0)      // the consensus on the first example, with its probability
//	c.Wrong(answers.List[0])   // the probability that the first answer is wrong
//	c.T[0]                     // T of the first person
//
// [Ask] returns the examples that gain most by one more answer, and who should give it. [People] has the accuracy of
// each person with an interval, [Copies] the pairs who agree more than their matrices say.
package annotators
