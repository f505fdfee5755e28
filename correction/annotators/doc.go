// Package annotators estimates the true labels of examples that several people have labelled, and how reliable each
// person is.
//
// [Answers] record who gave which label to which example. Each person r has a transition matrix whose rows are the
// true classes k, as everywhere in this project:
//
//	T_r[k][l] = P(r answers l | the true class is k)
//
// A [Consensus] holds q_i(k), the probability of class k for example i, and the matrices. [Estimate] computes it by
// one of the methods in [All]. The default is "transition":
//
//	q_i(k) ∝ g_i(k)^a prod over answers y_ir of T_r[k][y_ir]^b
//
// g is the posterior of networks trained on the soft labels q of other examples, or the shares of the classes if
// there are no networks. T_r counts the answers of person r, weighted by q, and stays near the matrix of all people
// if there are few. The exponents a and b are below 1 if people, and the network with them, err together on hard
// examples. Estimate finds them without true labels: they maximise the probability of each answer given the other
// people's answers and the network.
//
//	answers, err := annotators.New(names, classes, list)   // list of {Task, Worker, Label}
//	if err != nil {
//		return err // names an answer that is out of range or a duplicate
//	}
//	c, err := annotators.Estimate(answers, annotators.Options{Posteriors: g})
//	if err != nil {
//		return err
//	}
//	c.Label[0], c.Sure(0)      // the consensus on the first example and its probability
//	c.Wrong(answers.List[0])   // the probability that the first answer is wrong
//	c.T[0]                     // T of the first person
//
// [Ask] returns the examples that gain most from one more answer and who should give it. [People] returns the
// accuracy of each person with an interval, and [Copies] the pairs who agree more often than their matrices explain.
package annotators
