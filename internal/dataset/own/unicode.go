package own

import (
	"slices"

	"github.com/losscorr/losscorr/internal/dataset"
	"golang.org/x/text/unicode/norm"
)

// joinForms converts labels and true labels to the composed form of Unicode, NFC, so that é is one
// class whether it is one character or, as in macOS file names, two. It adds classes with several
// forms to d.Joined.
func (t *labelTable) joinForms(d *dataset.Dataset) {
	first := map[string]string{} // first form by composed label
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
