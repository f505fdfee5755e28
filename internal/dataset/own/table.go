package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
)

// openOwnTable reads a table of texts or numbers more than once: first what is known of
// the examples, then their content, of which the size and the split are known by then.
func openOwnTable(ctx context.Context, s Source) (*dataset.Dataset, error) {
	if s.Text == "" && len(s.Features) == 0 {
		return nil, s.columnsWanted()
	}
	d := &dataset.Dataset{}
	c, err := s.tableContent(ctx, d)
	switch {
	case err != nil:
		return nil, err
	case s.Text != "":
		return d, c.texts(d)
	}
	return d, c.features(d)
}

// tableContent fills in what is known of the examples of a table beside their content.
func (s Source) tableContent(ctx context.Context, d *dataset.Dataset) (*tableContent, error) {
	t, err := readTableExamples(s.Path, s.Labels, s)
	if err != nil {
		return nil, err
	}
	var test *labelTable
	if s.Test != "" {
		if test, err = readTableExamples(s.Test, s.TestLabels, s.ofTest()); err != nil {
			return nil, err
		}
	}
	c := &tableContent{Source: s, ctx: ctx, rows: len(t.ids)}
	if test != nil {
		c.testRows = len(test.ids)
	}
	c.train, c.tested, err = t.describe(d, test, s)
	return c, err
}

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
	if storageOf(s.Path) != tables || s.Text != "" || len(s.Features) > 0 {
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

// tableContent reads the content of the tables of a source.
type tableContent struct {
	Source
	ctx           context.Context
	train, tested []int // rows of the splits; see labelTable.describe
	rows          int   // of Path
	testRows      int   // of Test
}

// errChanged is the error for a file that had other rows a moment ago.
var errChanged = errors.New("it changes while it is read")

// each calls visit for the n rows of a table, with the values of columns.
func (c *tableContent) each(path string, n int, columns []string, visit func(row int, values []string,
	r *rows.Reader) error) error {
	r, err := rows.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Select(columns...); err != nil {
		return err
	}
	row := 0
	err = r.Each(func(values []string) error {
		if row%1024 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if row++; row > n {
			return fmt.Errorf("%s: %w", path, errChanged)
		}
		return visit(row-1, values, r)
	})
	if err == nil && row < n {
		err = fmt.Errorf("%s: %w", path, errChanged)
	}
	return err
}

// The number of words of a text that are used, at most, and of those that have a vector.
// On IMDB with a fifth of the labels wrong, an audit has an average precision of .810
// with 5,000 vectors and of .821 with 20,000; 1,000 words in place of 400 add .001.
const (
	defaultWords      = 400
	defaultVocabulary = 20_000
	maxWords          = 100_000
)

// texts reads the column of texts twice: ids are known only after all texts, and the
// texts take more memory than the ids that remain of them.
func (c *tableContent) texts(d *dataset.Dataset) error {
	if c.View != "" {
		return c.whole(d)
	}
	size := cmp.Or(c.Vocabulary, defaultVocabulary)
	if size <= dataset.IDFrom+1 {
		return fmt.Errorf("a vocabulary of %d: want more than %d, as %d entries are not words", size, dataset.IDFrom+1,
			dataset.IDFrom+1)
	}
	if c.Words < 0 || c.Words > maxWords {
		return fmt.Errorf("%d words of each text, want 1 to %d, or 0 to choose", c.Words, maxWords)
	}
	tokens := dataset.NewTokenizer()
	longest := 0
	err := c.eachText(d, func(to *dataset.Split, _ int, text string) error {
		numbers := tokens.Add([]byte(text), to == &d.Train)
		if to == &d.Train {
			longest = max(longest, len(numbers))
		}
		return nil
	})
	if err != nil {
		return err
	}
	ids, words := tokens.IDs(size)
	d.Words = words
	for _, n := range tokens.Order() {
		d.Ranked = append(d.Ranked, tokens.Words[n])
	}
	length := cmp.Or(c.Words, min(longest+1, defaultWords)) // after the start
	for _, s := range []*dataset.Split{&d.Train, &d.Test} {
		if s.Len() > 0 {
			s.Shape, s.Tokens = []int{length}, make([]int32, s.Len()*length)
		}
	}
	return c.eachText(d, func(to *dataset.Split, k int, text string) error {
		numbers := tokens.Add([]byte(text), false)
		if len(tokens.Words) > len(ids) {
			return errChanged
		}
		dataset.Sequence(to.Tokens[k*length:(k+1)*length], numbers, ids)
		return nil
	})
}

// whole reads the texts as they are written, for a view.
func (c *tableContent) whole(d *dataset.Dataset) error {
	for _, s := range []*dataset.Split{&d.Train, &d.Test} {
		if s.Len() > 0 {
			s.Shape, s.Texts = []int{1}, make([]string, s.Len())
		}
	}
	return c.eachText(d, func(to *dataset.Split, k int, text string) error {
		to.Texts[k] = strings.Clone(text)
		return nil
	})
}

// TextWords returns the words of each of so many texts of a source, those of the training set
// first, as numbers from 1; nil for data that is no text.
func (s Source) TextWords(ctx context.Context, examples int) ([][]int32, error) {
	if s.Text == "" {
		return nil, nil
	}
	d := &dataset.Dataset{}
	c, err := s.tableContent(ctx, d)
	if err != nil {
		return nil, err
	}
	tokens := dataset.NewTokenizer()
	if d.Train.Len()+d.Test.Len() != examples {
		return nil, fmt.Errorf("%s: %w", s.Path, errChanged)
	}
	all := make([][]int32, examples)
	err = c.eachText(d, func(of *dataset.Split, k int, text string) error {
		words := slices.Clip(tokens.Add([]byte(text), false))
		for i := range words {
			words[i]++
		}
		if of == &d.Test {
			k += d.Train.Len()
		}
		all[k] = words
		return nil
	})
	return all, err
}

// eachText calls visit for the texts of both splits, with their places there.
func (c *tableContent) eachText(d *dataset.Dataset, visit func(to *dataset.Split, k int, text string) error) error {
	read := func(path string, n int, parts map[*dataset.Split][]int) error {
		return c.each(path, n, []string{c.Text}, func(row int, values []string, _ *rows.Reader) error {
			for to, next := range parts {
				if len(next) > 0 && next[0] == row {
					parts[to] = next[1:]
					return visit(to, to.Len()-len(next), values[0])
				}
			}
			return nil
		})
	}
	if c.Test == "" {
		return read(c.Path, c.rows, map[*dataset.Split][]int{&d.Train: c.train, &d.Test: c.tested})
	}
	if err := read(c.Path, c.rows, map[*dataset.Split][]int{&d.Train: c.train}); err != nil {
		return err
	}
	return read(c.Test, c.testRows, map[*dataset.Split][]int{&d.Test: c.tested})
}

// features reads the columns of numbers, which are those of the training table in the test
// set's, too, whatever lies between the ends of a range there.
func (c *tableContent) features(d *dataset.Dataset) error {
	r, err := rows.Open(c.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	columns, err := featureColumns(r, c.Features, c.columns().named(r).roles())
	if err != nil {
		return err
	}
	read := func(path string, n int) ([]float32, error) {
		all := make([]float32, 0, n*len(columns))
		err := c.each(path, n, columns, func(_ int, values []string, r *rows.Reader) error {
			for k, text := range values {
				x, err := number(text)
				if err != nil {
					return fmt.Errorf("%s: column %q: %w", r.Where(), columns[k], err)
				}
				all = append(all, x)
			}
			return nil
		})
		return all, err
	}
	all, err := read(c.Path, c.rows)
	if err != nil {
		return err
	}
	d.Columns, d.Train.Shape = columns, []int{len(columns)}
	if c.Test != "" {
		d.Train.Features, _ = divide(all, len(columns), c.train, nil)
		if all, err = read(c.Test, c.testRows); err == nil {
			d.Test.Features, _ = divide(all, len(columns), c.tested, nil)
		}
	} else {
		d.Train.Features, d.Test.Features = divide(all, len(columns), c.train, c.tested)
	}
	if len(c.tested) > 0 {
		d.Test.Shape = []int{len(columns)}
	}
	return err
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
