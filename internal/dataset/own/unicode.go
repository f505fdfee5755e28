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
	first := map[string]string{} // form of each composed label
	for _, labels := range [][]string{t.labels, t.truths} {
		for k, label := range labels {
			composed := norm.NFC.String(label)
			if other, seen := first[composed]; !seen {
				first[composed] = label
			} else if other != label && !slices.Contains(d.Joined, composed) {
				d.Joined = append(d.Joined, composed)
			}
			labels[k] = composed
		}
	}
	slices.Sort(d.Joined)
}
