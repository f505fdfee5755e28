package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
)

// IsDecisions reports whether a file begins as a decisions.csv does, or is that of an audit in which no review has
// written one yet.
func IsDecisions(path string) bool {
	if hasHeader(path, decisionsHeader) || hasHeader(path, reviewersHeader) {
		return true
	}
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == DecisionsFile && At(filepath.Dir(path)).Begun()
}

// ReadTrustedFiles reads labels that people have checked. Of an example in several files the last one holds.
func ReadTrustedFiles(files []string, s own.Source) (map[string]Decision, error) {
	all := map[string]Decision{}
	for _, file := range files {
		labels, err := ReadTrusted(file, s)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, labels)
	}
	return all, nil
}

// ReadTrusted reads labels that people have checked, by the names of the examples: a
// decisions.csv, with what Said has beside it, or a table with the columns id and label. Decisions that no single
// class is right are among them. Classes may have their names or their numbers in the source.
func ReadTrusted(path string, s own.Source) (map[string]Decision, error) {
	switch folder := At(filepath.Dir(path)); {
	case IsDecisions(path) && filepath.Base(path) == DecisionsFile:
		said, err := folder.Said(s)
		return Outcomes(said), err
	case IsDecisions(path):
		list, err := ReadDecisions(path)
		return Outcomes(WithNames(list, s)), err
	}
	labels, err := own.ReadLabels(path)
	if err != nil {
		return nil, dataset.Errorf("trusted labels: %w", err)
	}
	names := s.Naming()
	decisions := make(map[string]Decision, len(labels))
	for id, label := range labels {
		decisions[id] = Decision{ID: id, Label: names.ClassName(label)}
	}
	return decisions, nil
}

// Known returns the known labels of the training examples: those of trusted, by the name
// of the example, and the given labels that the data says are right, unless a person has decided
// otherwise; and what to tell people of trusted labels that are left out. The error is
// dataset.ErrData if a label is no class, or if no name of trusted is that of an example.
func Known(data *dataset.Dataset,
	trusted map[string]Decision) (known []correction.Trusted, warnings []string, err error) {
	class := map[string]int{}
	for k, name := range data.Classes {
		class[name] = k
	}
	left := maps.Clone(trusted)
	var changed []string
	without := map[Action]int{}
	for i := range data.Train.Len() {
		id, given := data.Train.ID(i), data.Train.Labels[i]
		decision, told := trusted[id]
		delete(left, id)
		if told && !decision.Holds(data.Classes[given]) {
			changed = append(changed, id)
			told = false
		}
		if told && decision.Action == Conflict { // nothing is decided
			without[Conflict]++
			told = false
		}
		switch {
		case told && !decision.Decides():
			without[decision.Action]++
		case told:
			k, ok := class[decision.Label]
			if !ok {
				return nil, nil, dataset.Errorf("the trusted label of %s is %q, which is no class of the data", id, decision.Label)
			}
			known = append(known, correction.Trusted{Index: i, Label: k})
		case data.Train.Trusted != nil && data.Train.Trusted[i]:
			known = append(known, correction.Trusted{Index: i, Label: given})
		}
	}
	if len(left) == len(trusted) && len(trusted) > 0 {
		return nil, nil, dataset.Errorf("none of the %d trusted labels is that of an example of the data: their names "+
			"differ, say %q and %q", len(trusted), firstKey(trusted), data.Train.ID(0))
	}
	if len(left) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d trusted labels are of no example, such as that of %q: they are "+
			"left out", len(left), len(trusted), firstKey(left)))
	}
	if len(changed) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d trusted labels were decided when the example had another label, "+
			"such as that of %q: they are left out, as the name may be another example's by now",
			len(changed), len(trusted), changed[0]))
	}
	if n := without[Ambiguous] + without[None]; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d decisions name no class (several fit %d examples, none fits %d): "+
			"no label of these is taken as trusted",
			n, len(trusted), without[Ambiguous], without[None]))
	}
	if n := without[Conflict]; n > 0 {
		warnings = append(warnings, fmt.Sprintf("reviewers disagree on %d of %d trusted labels: none of these is taken "+
			"until losscorr review settles the conflict", n, len(trusted)))
	}
	return known, warnings, nil
}

// firstKey returns the first key of a map in order.
func firstKey(m map[string]Decision) string { return slices.Min(slices.Collect(maps.Keys(m))) }

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
