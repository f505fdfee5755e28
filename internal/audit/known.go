package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/files"
)

// Known returns the known labels of the training examples: those of people's answers, by the name of the example, and
// the given labels that the data says are right, unless a person has decided otherwise; and what to tell people of
// answers that are left out.
func Known(data *dataset.Dataset, answers map[string]Decision) (known []correction.Trusted, warnings []string) {
	class := map[string]int{}
	for k, name := range data.Classes {
		class[name] = k
	}
	there, undecided := 0, 0
	var changed, unknown []string
	conflicts := 0
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Train.Labels[i]
		d, told := answers[id]
		if told {
			there++
		}
		switch k, ok := class[d.Label]; {
		case told && !d.Holds(data.Classes[given]):
			changed = append(changed, id)
		case told && d.Action == Conflict: // nothing is decided
			conflicts++
		case told && !d.Decides():
			undecided++
			continue
		case told && !ok:
			unknown = append(unknown, d.Label)
		case told:
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
	warn(len(answers)-there, "are on examples that the data does not have: they are left out")
	if len(changed) > 0 {
		warn(len(changed), "were given when the example had another label, such as %q: they are left out, as the name may "+
			"be that of another example by now", changed[0])
	}
	if len(unknown) > 0 {
		warn(len(unknown), "name a class that the data does not have, such as %q: they are left out", unknown[0])
	}
	warn(undecided, "name no class (several fit, or none): the labels of these examples stay open")
	warn(conflicts, "are disputed by reviewers: they are left out until losscorr review settles them")
	return known, warnings
}

// WriteKnown writes known labels into a folder of runs, as the settings trusted and corrected want them,
// and returns the path of the file. Its name begins with that of the setting and has a hash of the labels,
// so that runs with other ones are told apart and keep theirs.
func WriteKnown(folder, setting string, data *dataset.Dataset, known []correction.Trusted) (path string, err error) {
	var text bytes.Buffer
	table := csv.NewWriter(&text)
	_ = table.Write([]string{"index", "label"}) // into memory: no error
	for _, k := range known {
		_ = table.Write([]string{strconv.Itoa(k.Index), data.Classes[k.Label]})
	}
	table.Flush()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("make the folder of the runs: %w", err)
	}
	hash := sha256.Sum256(text.Bytes())
	if path, err = filepath.Abs(filepath.Join(folder, fmt.Sprintf("%s-%x.csv", setting, hash[:4]))); err != nil {
		return "", err
	}
	return path, files.Write(path, text.Bytes(), 0o666)
}
