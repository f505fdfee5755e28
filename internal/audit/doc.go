// Package audit holds the folder of an audit: what package find has found out about the labels of a
// user's own data, and what people have decided of them.
//
// The files of an audit's folder, each with one type here that writes and reads it:
//
//	summary.json             Summary: the range or number of wrong labels, by class too, and warnings
//	issues.csv               every example, worst first: rank, id, given, suggested, p_wrong, unusual
//	duplicates.csv           Duplicate: pairs of examples that are the same, or nearly, where there are any
//	unreadable.csv           files that are missing or broken and were left out, or why an audit stopped: name, reason
//	T_hat.csv                the estimated transition matrix
//	probabilities.npy        [N C] float32, the clean posterior of each example, in the order of the data
//	noisy_probabilities.npy  [N C] float32, the posterior of the given label by the first stage, or as given
//	labels_corrected.csv     id, label, in the order of the data: by what people say (Folder.Said), or else, where
//	                         changes are offered (Summary.Changes), the suggested label
//	report.html              a page for people
//	consensus.csv            of several people's answers: task, label, probability, answers; in the order of the data
//	answers.csv              each answer, the likeliest wrong ones first: task, worker, label, p_wrong
//	annotators.csv           the people, the best first: worker, answers, accuracy, low, high, chance, agreement, verdict
//	T_annotators.npy         [R C C] float32, T of each person, by Person.Row of summary.json
//	likelihoods.npy          [N C] float32, the product of the tempered T of all who answered, for the loss answers
//	ask.csv                  the examples that gain most by one more answer: task, label, probability, answers, worker,
//	                         gain, gain_anyone
//	annotators.html          a page of the people
//	decisions.jsonl          Log: each answer of a person, and each label that was drawn for a random check
//	acceptance.npy           [N 1] float32, w of each example when its acceptance began (Plan)
//	conflicts.csv            the decisions of reviewers who disagree, until that is settled: id, given, reviewer, label,
//	                         decision, time
//	content_hashes.npy       [N 8] bytes, a hash of each image or text, by which a review sees that one was replaced
//	source.json              the data of the audit, written at its beginning: audits of other data are refused
//	runs/                    the networks
//
// An audit that was killed and resumed writes the same files to the byte, but for
// Summary's Seconds and Finished, which report.html shows, too.
//
// Spreadsheets calculate cells that begin with =, +, - or @: in the CSV files such a name
// has an apostrophe in front, which every reader of this project removes. Numbers stay.
package audit
