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

// ofTest is the source of a test set, of which names and labels are enough.
func (s Source) ofTest() Source {
	s.Split, s.Truth, s.Trusted, s.Group = "", "", "", ""
	return s
}

// noTable returns an error, which begins with why, if a column is named that only a table of
// labels could have. inExamples says that the examples are a table and may have it, except the
// label. The labels of a test set may have that and the names.
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

// usualText returns the column of the texts: text, if a table has it and no other content is named.
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
	if role := s.columns().named(r).roles()[usual]; role != "" || !r.Has(usual) {
		return ""
	}
	return usual
}

// shownColumns is how many columns of a table are listed where one is to be named.
const shownColumns = 30

// columnsWanted is the error for a table without a column to learn from.
func (s Source) columnsWanted() error {
	r, err := rows.Open(s.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	err = fmt.Errorf("%s: which column has the text (--text), or which ones the numbers (--features)? Its columns: %s",
		s.Path, humanize.Quoted(r.Columns(), shownColumns))
	if rows.IsTasks(s.Path) {
		err = fmt.Errorf("%w; if it labels images, give their folder as the data, and --labels %s", err, shell.Word(s.Path))
	}
	return err
}

// numberColumns are columns whose numbers are added to features, row by row.
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

// number reads a feature.
func number(text string) (float32, error) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 32)
	switch {
	case text == "":
		return 0, errors.New("no number: fill in missing values, or leave the column out")
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large for float32", text)
	case err != nil:
		return 0, fmt.Errorf("%q is not a number: encode it as numbers, or leave the column out", text)
	case math.IsNaN(x) || math.IsInf(x, 0):
		return 0, fmt.Errorf("%s: fill in missing values, or leave the column out", text)
	}
	return float32(x), nil
}

// featureColumns resolves ranges, first-last, without the columns in them that have a role of
// their own, such as the labels.
func featureColumns(r *rows.Reader, features []string, role map[string]string) (names []string, err error) {
	all := r.Columns()
	for _, feature := range features {
		if r.Has(feature) {
			if what := role[feature]; what != "" {
				return nil, fmt.Errorf("%s: the column %q has the %s; leave it out of the features", r.Path, feature, what)
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
