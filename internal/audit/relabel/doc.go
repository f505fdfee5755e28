// Package relabel gives data the labels that an audit and its review have found: [Apply] copies a folder
// of images, each in the folder of its class; [Export] writes the export of a label tool again, with
// suggestions and corrections; [ExportAnswers] writes what each reviewer has decided; [Correct] returns
// the labels of a training.
//
// A decision of a person holds before the label of the audit, unless the example had another label when
// it was made or reviewers disagree on it.
package relabel
