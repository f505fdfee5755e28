package own

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
)

// sets returns the sources of the training set and, if there is one, of the test set, which needs only names and
// labels.
func (s Source) sets() []Source {
	if s.Test == "" {
		return []Source{s}
	}
	test := s
	test.Path, test.Labels, test.Split, test.Truth, test.Trusted, test.Group = s.Test, s.TestLabels, "", "", "", ""
	return []Source{s, test}
}

// noTable returns an error that begins with why if a named column needs a table of labels. If
// inExamples is set, the examples are a table that may have it, except the label. The labels of a
// test set may have the label and the names.
func (s Source) noTable(why string, inExamples bool) error {
	tested := rows.Is(s.TestLabels)
	for _, f := range Fields {
		if !f.Beside {
			continue
		}
		elsewhere := inExamples && f.Key != "label" || tested && (f.Key == "label" || f.Key == "id")
		if column := *f.Text(&s); column != "" && !elsewhere {
			return fmt.Errorf("%s: a column %q (--%s) needs a table of labels (--labels)", why, column, f.Flag)
		}
	}
	return nil
}

// usualText returns text, if a table has this column and no other content is named.
func (s Source) usualText() string {
	const usual = "text"
	if formOf(s.Path) != tables || s.Text != "" || len(s.Features) > 0 {
		return s.Text
	}
	r, err := rows.Open(s.Path)
	if err != nil {
		return ""
	}
	defer r.Close()
	if role := s.columns().withID(r).roles()[usual]; role != "" || !r.Has(usual) {
		return ""
	}
	return usual
}

// shownColumns is the most columns of a table listed in an error.
const shownColumns = 30

// columnsWanted returns the error for a table without a named column to learn from.
func (s Source) columnsWanted() error {
	r, err := rows.Open(s.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	err = fmt.Errorf("%s: name the column of the text with --text, or the columns of numbers with --features; its "+
		"columns are %s", s.Path, humanize.Quoted(r.Columns(), shownColumns))
	if rows.IsTasks(s.Path) {
		err = fmt.Errorf("%w; if it labels images, use their folder as the data with --labels %s", err, shell.Word(s.Path))
	}
	return err
}

// numberColumns returns columns that add their numbers to features, row by row.
func numberColumns(names []string, features *[]float32) (columns []column) {
	for _, name := range names {
		columns = append(columns, column{name, func(text string) error {
			x, err := number(text)
			*features = append(*features, x)
			return err
		}})
	}
	return columns
}

// number parses a feature.
func number(text string) (float32, error) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 32)
	switch {
	case text == "":
		return 0, errors.New("the cell is empty: fill in missing values, or leave the column out")
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large for float32", text)
	case err != nil:
		return 0, fmt.Errorf("%q is not a number: encode it as numbers, or leave the column out", text)
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, fmt.Errorf("%s: fill in missing values, or leave the column out", text)
	}
	return float32(x), nil
}

// featureColumns resolves ranges first-last, without columns that have another role, such as the
// labels.
func featureColumns(r *rows.Reader, features []string, role map[string]string) (names []string, err error) {
	all := r.Columns()
	for _, feature := range features {
		if r.Has(feature) {
			if what := role[feature]; what != "" {
				return nil, fmt.Errorf("%s: the column %q has the %s: leave it out of the features", r.Path, feature, what)
			}
			names = append(names, feature)
			continue
		}
		from, to := -1, -1
		for at, c := range feature {
			if c == '-' && to < 0 {
				if from = slices.Index(all, feature[:at]); from >= 0 {
					to = slices.Index(all, feature[at+1:])
				}
			}
		}
		switch {
		case to < 0:
			return nil, r.Missing(feature)
		case to < from:
			return nil, fmt.Errorf("%s: %q is not a range: %q comes before %q", r.Path, feature, all[to], all[from])
		}
		for _, name := range all[from : to+1] {
			if role[name] == "" {
				names = append(names, name)
			}
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for k := 1; k < len(sorted); k++ {
		if sorted[k] == sorted[k-1] {
			return nil, fmt.Errorf("%s: the feature %q is named twice", r.Path, sorted[k])
		}
	}
	return names, nil
}
