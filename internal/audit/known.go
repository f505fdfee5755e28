package audit

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// Known returns the known labels of the training examples: people's answers, by the name of the example, and the
// given labels that the data marks as trusted, unless a person has decided otherwise. warnings describe answers that
// were left out.
func Known(data *dataset.Dataset, answers map[string]Decision) (known []correction.Trusted, warnings []string) {
	there, undecided, conflicts := 0, 0, 0
	var changed []string
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Train.Labels[i]
		d, answered := answers[id]
		if answered {
			there++
		}
		switch k := slices.Index(data.Classes, d.Label); {
		case answered && (!d.Holds(data.Classes[given]) || d.Decides() && k < 0):
			changed = append(changed, id)
		case answered && d.Action == Conflict: // nothing is decided
			conflicts++
		case answered && !d.Decides():
			undecided++
			continue
		case answered:
			known = append(known, correction.Trusted{Index: i, Label: k})
			continue
		}
		if data.Train.Trusted != nil && data.Train.Trusted[i] {
			known = append(known, correction.Trusted{Index: i, Label: given})
		}
	}
	warn := func(n int, format string, args ...any) {
		if n > 0 {
			warnings = append(warnings, fmt.Sprintf("%d of %d answers "+format, append([]any{n, len(answers)}, args...)...))
		}
	}
	warn(len(answers)-there, "are about examples that the data does not have: they are left out")
	if len(changed) > 0 {
		warn(len(changed), "are about an earlier label or classes of the example, such as %q: they are left out", changed[0])
	}
	warn(undecided, "name no class (several fit, or none): the labels of these examples stay open")
	warn(conflicts, "are disputed by reviewers: they are left out until losscorr review settles them")
	return known, warnings
}

// WriteKnown writes known labels into a folder of runs, in the format of the settings trusted and corrected, and
// returns the path of the file. The file is named after the setting and a hash of the labels, so that runs with other
// labels keep their own files.
func WriteKnown(folder, setting string, data *dataset.Dataset, known []correction.Trusted) (path string, err error) {
	records := [][]string{{"index", "label"}}
	for _, k := range known {
		records = append(records, []string{strconv.Itoa(k.Index), data.Classes[k.Label]})
	}
	text := CSV(records)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("make the folder of the runs: %w", err)
	}
	hash := sha256.Sum256(text)
	if path, err = filepath.Abs(filepath.Join(folder, fmt.Sprintf("%s-%x.csv", setting, hash[:4]))); err != nil {
		return "", err
	}
	return path, files.Write(path, text, 0o666)
}
