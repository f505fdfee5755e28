package own

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/rows"
)

// firstOf returns the first of given and the usual names that is in the list, or "".
func firstOf(list []string, given string, names ...string) string {
	if given != "" {
		names = []string{given}
	}
	for _, name := range names {
		if slices.Contains(list, name) {
			return name
		}
	}
	return ""
}

// lists reads a row for each example, with a list of labels and a list of people. Without the
// latter, people are numbered by their places in the list.
func (r *answerReader) lists(l *rows.Lists, label string, c AnswerColumns) error {
	task := firstOf(l.Single, c.Task, usualTasks...)
	worker := firstOf(l.Listed, c.Worker, "worker", "annotator", "workers", "annotators")
	columns := []string{task, label}
	switch {
	case len(c.People) > 0:
		return fmt.Errorf("%s has a list of labels in each row: use --annotator only for tables with one value per cell",
			l.Path)
	case task == "":
		return fmt.Errorf("no column with the names of the examples: name one of %s with --task",
			strings.Join(l.Single, ", "))
	case worker == "" && c.Worker != "":
		return fmt.Errorf("no list %q of people for %q: the lists are %s", c.Worker, label, strings.Join(l.Listed, ", "))
	case worker != "":
		columns = append(columns, worker)
	}
	return l.Each(columns, func(values [][]string) error {
		workers := rowNames(len(values[1]))
		if worker != "" && len(values[2]) != len(workers) {
			return fmt.Errorf("%d labels by %d people", len(workers), len(values[2]))
		}
		for k := range workers {
			if worker != "" {
				workers[k] = person(values[2][k])
			}
		}
		return r.addAll(rows.Original(strings.Clone(values[0][0])), "a list of labels", workers, values[1])
	})
}
