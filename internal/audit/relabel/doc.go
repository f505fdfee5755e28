// Package relabel applies the labels of an audit and its review to the data. [Export] writes the data in its own
// format, with suggestions and corrections, or each reviewer's decisions. [Correct] returns
// corrected labels for training.
//
// A person's decision takes precedence over the audit, unless the example had another label at the time
// or reviewers disagree about it.
package relabel
