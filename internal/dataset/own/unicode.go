package own

import (
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"golang.org/x/text/unicode/norm"
)

// joinForms gives labels and true labels the composed form of Unicode, NFC, so that é is one class
// whether a file has one character for it or, as names of files on macOS, two. It adds the classes
// that come in several forms to d.Joined.
func (t *labelTable) joinForms(d *dataset.Dataset) {
	forms := map[string]string{} // of each label
	for _, labels := range [][]string{t.labels, t.truths} {
		for k, label := range labels {
			composed, ok := forms[label]
			if !ok {
				composed = norm.NFC.String(label)
				forms[label] = composed
			}
			labels[k] = composed
		}
	}
	seen := map[string]bool{}
	for _, composed := range forms {
		if seen[composed] && !slices.Contains(d.Joined, composed) {
			d.Joined = append(d.Joined, composed)
		}
		seen[composed] = true
	}
	slices.Sort(d.Joined)
}
