package own

import "golang.org/x/text/unicode/norm"

// compose converts labels and true labels to the composed form of Unicode, NFC, so that é is one class whether it is
// one character or, as in macOS file names, two.
func (t *labelTable) compose() {
	for _, labels := range [][]string{t.labels, t.truths} {
		for k, label := range labels {
			labels[k] = norm.NFC.String(label)
		}
	}
}
