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
	Columns []string // the classes of the file's columns; nil for the file's names or the order of the classes

	// Features is an NPY file of numbers [N D] to compare the examples by, in their order; "" for the data itself if it
	// is an array or a table of numbers.
	Features string
}

// readFeatures reads the file of features.
func (g Given) readFeatures(n int) ([]float32, error) {
	features, shape, err := npy.ReadFloat32(g.Features)
	if err != nil {
		return nil, dataset.Errorf("--features: %w", err)
	}
	if len(shape) != 2 || shape[0] != n || shape[1] < 1 {
		return nil, dataset.Errorf("--features %s has the shape %v, want [%d D]: one row for each of the %d labels, in "+
			"their order", g.Features, shape, n, n)
	}
	for k, v := range features {
		if v-v != 0 {
			return nil, dataset.Errorf("--features %s: row %d holds %v: want finite numbers", g.Features, k/shape[1], v)
		}
	}
	return features, nil
}

// read reads the probabilities, and adds the classes of columns that no label has. It is an error if the columns have
// no names and another order fits the labels far better.
func (g Given) read(a *work, source own.Source) error {
	d := a.Data
	p, err := source.ReadProbabilities(g.File, d.Train.IDs, d.Classes, g.Columns)
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	for _, finding := range p.Findings {
		a.found(finding)
	}
	if err := a.extend(p.Classes); err != nil {
		return err
	}
	a.Probabilities = p.Values
	warning, err := g.checkOrder(p, d)
	if warning != "" {
		a.found(warning)
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
	a.Crowd = answers
	return nil
}

// checkOrder returns a warning if another order of the columns fits the labels better, or an error if it fits far
// better and the columns have no names.
func (g Given) checkOrder(p *own.Probabilities, d *dataset.Dataset) (warning string, err error) {
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
	text := fmt.Sprintf("columns of %s fit the labels better in another order: the column for %s. Over %d examples "+
		"the mean probability of the label is %.2f, and %.2f in the other order",
		g.File, humanize.Listed(lines, 12), fit.Examples, fit.Assumed, fit.Fitted)
	switch {
	case known:
		return text + ". Check the names of the columns", nil
	case !fit.Far:
		return text + ". So many wrong labels may be the cause as well; if the order is wrong, name the columns with " +
			"--classes", nil
	}
	return "", dataset.Errorf("%s. The file does not name its columns: the order of the classes is %s, but they seem "+
		"to be %s. Use --classes %s, or --classes %s if the first order is right", text,
		strings.Join(d.Classes, ", "), strings.Join(fitted, ", "), shell.Word(strings.Join(fitted, ",")),
		shell.Word(strings.Join(d.Classes, ",")))
}

// misordered returns a hint if another model's confident predictions are rarely the label, else "".
func misordered(probabilities []float32, labels []int, classes int) string {
	sure, hits := 0., 0
	for x, k := range correction.Classes(probabilities, classes) {
		sure += float64(probabilities[x*classes+k])
		if labels[x] == k {
			hits++
		}
	}
	share, right := sure/float64(len(labels)), float64(hits)/float64(len(labels))
	if share <= right+.4 {
		return ""
	}
	return fmt.Sprintf("Check that their rows are in the order of the labels and their columns in the order of the "+
		"classes: the largest probability is %.0f %% on average, but only %.0f %% of the predictions are the label. If "+
		"both are right, use a better model", 100*share, 100*right)
}
