package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/shell"
)

// Given is a file of another model's probabilities of the classes.
type Given struct {
	File    string
	Columns []string // the classes of the file's columns; nil: as it says, or in the order of the classes

	// Features is an NPY file of numbers [N D] by which the examples are compared, in their order; "": those of
	// the data, if it is an array or a table of numbers.
	Features string
}

// findNear finds the neighbours of the examples by the file of features, if there is one.
func (g *Given) findNear(a *work) error {
	if g == nil || g.Features == "" {
		return nil
	}
	features, shape, err := npy.ReadFloat32(g.Features)
	if err != nil {
		return dataset.Errorf("--features: %w", err)
	}
	n := a.Data.Train.Len()
	if len(shape) != 2 || shape[0] != n || shape[1] < 1 {
		return dataset.Errorf("--features %s is an array %v, want [%d D]: a row for each of the %d labels, in their order",
			g.Features, shape, n, n)
	}
	for k, v := range features {
		if v-v != 0 {
			return dataset.Errorf("--features %s: %v in row %d: want finite numbers", g.Features, v, k/shape[1])
		}
	}
	if n > mostNear || n <= nearCount {
		return nil
	}
	return a.search(features)
}

// read reads the probabilities, and gives the audit the classes of columns that no label has. It is an error if the
// columns are taken in the order of the classes and another one fits far better.
func (g Given) read(a *work, source own.Source) error {
	d := a.Data
	p, err := source.ReadProbabilities(g.File, d.Train.IDs, d.Classes, g.Columns)
	if left := len(d.Skipped); err != nil && left > 0 {
		err = fmt.Errorf("%w (%d examples without a label are left out: remove their rows from both files)", err, left)
	}
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	for _, finding := range p.Findings {
		a.found(finding, finding)
	}
	if err := a.extend(p.Classes); err != nil {
		return err
	}
	a.Probabilities = p.Values
	warning, err := g.ordered(p, d)
	if warning != "" {
		a.found(warning, warning)
	}
	return err
}

// extend replaces the classes by a list that contains all of them.
func (a *work) extend(classes []string) error {
	if slices.Equal(classes, a.Data.Classes) {
		return nil
	}
	number := make([]int, len(a.Data.Classes))
	for k, class := range a.Data.Classes {
		number[k] = slices.Index(classes, class)
	}
	a.Data.Classes = classes
	for _, split := range a.Data.Splits() {
		for _, labels := range [][]int{split.Labels, split.Truth} {
			for k, y := range labels {
				if y >= 0 {
					labels[k] = number[y]
				}
			}
		}
	}
	if a.Crowd == nil {
		return nil
	}
	list := slices.Clone(a.Crowd.List)
	for k, x := range list {
		list[k].Label = int32(number[x.Label])
	}
	answers, err := annotators.New(a.Crowd.Tasks, a.Crowd.Workers, classes, list)
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	a.Crowd.Answers = answers
	return nil
}

// ordered returns a warning if another order of the columns fits the labels better, and an error if it fits far better
// and nobody named the columns.
func (g Given) ordered(p *own.Probabilities, d *dataset.Dataset) (warning string, err error) {
	fit, differs := correction.FitColumns(p.Values, d.Train.Labels, len(d.Classes))
	known := p.Named || g.Columns != nil
	if !differs || known && !fit.Far {
		return "", nil
	}
	fitted := make([]string, len(d.Classes)) // by column
	var lines []string
	for j, i := range fit.Order {
		if fitted[j] = d.Classes[i]; i != j {
			lines = append(lines, fmt.Sprintf("%q fits %q", d.Classes[j], d.Classes[i]))
		}
	}
	text := fmt.Sprintf("columns of %s fit the labels in another order: what is taken for %s. Of %d examples the label "+
		"has a mean probability of %.2f, and of %.2f in the other order",
		g.File, humanize.Listed(lines, 12), fit.Examples, fit.Assumed, fit.Fitted)
	switch {
	case known:
		return text + ". Look whether the names of the columns are right", nil
	case !fit.Far:
		return text + ". So many wrong labels explain this, too; if the order is wrong, name the columns with --classes", nil
	}
	return "", dataset.Errorf("%s. The file does not name its columns, which are taken in the order of the classes, %s; "+
		"they seem to be %s. Give --classes %s, or --classes %s if the first order is right", text,
		strings.Join(d.Classes, ", "), strings.Join(fitted, ", "), typed(fitted), typed(d.Classes))
}

// typed returns the value of --classes as one types it.
func typed(classes []string) string {
	text := strings.Join(classes, ",")
	if len(text) > 500 || strings.Count(text, ",") >= len(classes) {
		return "FILE.txt with one class per line in this order"
	}
	return shell.Word(text)
}
