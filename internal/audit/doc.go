// Package audit reads and writes the folder of an audit: what package find has found out about the
// labels of a user's own data, and what people have decided about them.
//
// The files of the folder:
//
//	summary.json             Summary: the range or number of wrong labels, in total and by class, and warnings
//	issues.csv               every example, worst first: rank, id, given, suggested, p_wrong, unusual
//	duplicates.csv           Duplicate: pairs of examples that are the same or nearly the same, if there are any
//	unreadable.csv           missing and broken files, left out or too many: name, reason
//	T_hat.csv                the estimated transition matrix
//	probabilities.npy        [N C] float32, the clean posterior of each example, in the order of the data
//	noisy_probabilities.npy  [N C] float32, the posterior of the given label by the first stage, or the user's own
//	labels_corrected.csv     id, label, in the order of the data: people's label (Folder.Said) or, where
//	                         changes are offered (Summary.Changes), the suggested label
//	report.html              a page for people
//	consensus.csv            several people's answers combined, in the order of the data: task, label,
//	                         probability, answers
//	answers.csv              each answer, the likeliest mistakes first: task, worker, label, p_wrong
//	annotators.csv           the people, the best first: worker, answers, accuracy, low, high, chance, agreement, verdict
//	T_annotators.npy         [R C C] float32, T of each person, by Person.Row of summary.json
//	likelihoods.npy          [N C] float32, the product of the tempered T of all who answered, for the loss answers
//	ask.csv                  the examples that gain most by one more answer: task, label, probability, answers, worker,
//	                         gain, gain_anyone
//	annotators.html          a page of the people
//	decisions.jsonl          Log: each person's answers, and the labels drawn for random checks
//	acceptance.npy           [N 1] float32, w of each example when its acceptance began (Plan)
//	conflicts.csv            decisions of reviewers who disagree, until they settle it: id, given, reviewer, label,
//	                         decision, time
//	content_hashes.npy       [N 8] bytes, a hash of each image or text; a review uses it to find replaced ones
//	source.json              the data of the audit, written first: the folder refuses audits of other data
//	runs/                    the networks
//
// An audit that was killed and resumed writes the same files to the byte, except for Summary's
// Seconds and Finished, which report.html shows as well.
//
// Spreadsheets calculate cells that begin with =, +, - or @. In the CSV files such a name has an
// apostrophe in front, which every reader of this project removes. Numbers have none.
package audit
