package own

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/rows"
)

// tableStorage is a table with a column of texts, or with columns of numbers.
type tableStorage struct{}

func (tableStorage) stored(s Source) (dataset.Kind, error) {
	switch {
	case s.Text != "" && len(s.Features) > 0:
		return 0, fmt.Errorf("%s: text and features are both named; examples are one of them", s.Path)
	case s.Text != "":
		return dataset.Text, nil
	case len(s.Features) > 0:
		return dataset.Vector, nil
	}
	return 0, s.columnsWanted()
}

func (tableStorage) open(ctx context.Context, s Source, _ dataset.Options) (*dataset.Dataset, error) {
	d, err := openOwnTable(ctx, s)
	if err != nil {
		return nil, err
	}
	return d, s.hash(d)
}

func (tableStorage) names(_ context.Context, s Source) ([]string, error) {
	t, err := rows.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if s.ID != "" || len(t.Columns()) == 0 {
		table, _, err := readLabelColumns(t, labelColumns{id: s.ID})
		if err != nil {
			return nil, err
		}
		return table.ids, nil
	}
	if err := t.Select(t.Columns()[0]); err != nil {
		return nil, err
	}
	n := 0
	err = t.Each(func([]string) error { n++; return nil })
	return rowNames(n), err
}

func (tableStorage) originals(ctx context.Context, s Source, ids []string,
	visit func(places []int, o Original) error) error {
	return s.eachText(ctx, ids, func(places []int, text string) error {
		return visit(places, Original{Text: strings.Clone(text), Sum: ContentHash([]byte(text))}) // not with the whole row
	})
}

func (tableStorage) sums(ctx context.Context, s Source, ids []string) ([]uint64, error) {
	return sumsOf(len(ids), func(found func(places []int, raw []byte) error) error {
		return s.eachText(ctx, ids, func(places []int, text string) error { return found(places, []byte(text)) })
	})
}

func (tableStorage) byRow(s Source) bool {
	t, err := readTableExamples(s.Path, s.Labels, s)
	return err == nil && t.byRow
}

// eachText calls found with the places of each name in ids and the text of that example.
func (s Source) eachText(ctx context.Context, ids []string, found func(places []int, text string) error) error {
	t, err := readTableExamples(s.Path, s.Labels, s)
	if err != nil {
		return err
	}
	wanted := placesOf(ids)
	c := tableContent{Source: s, ctx: ctx}
	return c.each(s.Path, len(t.ids), []string{s.Text}, func(row int, values []string, _ *rows.Reader) error {
		if places := wanted[t.ids[row]]; len(places) > 0 {
			return found(places, values[0])
		}
		return nil
	})
}

// read reads new examples.
func (tableStorage) read(n *newExamples, paths []string, _ dataset.Options) ([]dataset.Skipped, error) {
	findings, err := n.table(paths[0])
	n.findings = findings
	return nil, err
}

// table returns what is odd about the rows.
func (n *newExamples) table(path string) ([]string, error) {
	if err := n.want(path, map[bool][]dataset.Kind{true: {dataset.Text},
		false: {dataset.Vector}}[n.Text != ""]...); err != nil {
		return nil, err
	}
	r, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	columns, err := n.content(path, r)
	if err != nil {
		return nil, err
	}
	content := len(columns)
	id := n.columns().named(r).id // names that nobody asked for may be the same, as in training
	if id != "" {
		columns = append(columns, id)
	}
	names := labelReader{first: map[string]string{}}
	add := func(texts []string) error { return n.addNumbers(columns, texts) }
	if n.Text != "" {
		add = n.addText()
	}
	n.split.Shape = n.Shape
	if err := r.Select(columns...); err != nil {
		return nil, err
	}
	err = r.Each(func(row []string) error {
		k := len(n.split.IDs)
		if k%1024 == 0 && n.ctx.Err() != nil {
			return n.ctx.Err()
		}
		if err := add(row[:content]); err != nil {
			return fmt.Errorf("%s: %w", r.Where(), err)
		}
		if id == "" {
			n.split.IDs = append(n.split.IDs, strconv.Itoa(k))
		} else if n.ID == "" {
			n.split.IDs = append(n.split.IDs, rows.Original(strings.Clone(row[content])))
		} else if err := names.id(&n.split.IDs, row[content], r); err != nil {
			return fmt.Errorf("%s: column %q: %w", r.Where(), id, err)
		}
		return nil
	})
	if err == nil && len(n.split.IDs) == 0 {
		err = fmt.Errorf("%s has no row", path)
	}
	return r.Findings(), err
}

// content returns the columns that a network looks at.
func (n *newExamples) content(path string, r *rows.Reader) ([]string, error) {
	if n.Text != "" {
		return []string{n.Text}, nil
	}
	if len(n.Features) == 0 {
		return nil, fmt.Errorf("%s: which columns have the numbers (--features)? Its columns: %s", path,
			humanize.Quoted(r.Columns(), shownColumns))
	}
	columns, err := featureColumns(r, n.Features, nil)
	if err == nil && len(columns) != n.Shape[0] {
		err = fmt.Errorf("%s: the columns of numbers are %s; the network takes %d", path, some(columns), n.Shape[0])
	}
	return columns, err
}

func (n *newExamples) addNumbers(columns, texts []string) error {
	for k, text := range texts {
		x, err := number(text)
		if err != nil {
			return fmt.Errorf("column %q: %w", columns[k], err)
		}
		n.split.Features = append(n.split.Features, x)
	}
	return nil
}

// addText returns the function that appends a text with the word ids of training.
func (n *newExamples) addText() func([]string) error {
	if n.Form.Texts {
		return func(texts []string) error {
			n.split.Texts = append(n.split.Texts, strings.Clone(texts[0]))
			return nil
		}
	}
	tokens := dataset.NewTokenizer()
	ids := make([]int32, len(n.Form.Words))
	for rank, word := range n.Form.Words {
		tokens.Count([]byte(word), false)
		ids[rank] = dataset.IDUnknown
		if id := dataset.IDFrom + 1 + rank; id < n.Form.Vocabulary {
			ids[rank] = int32(id)
		}
	}
	return func(texts []string) error {
		numbers := tokens.Add([]byte(texts[0]), false)
		// Words that no training text has are left out, as in training.
		numbers = slices.DeleteFunc(numbers, func(word int32) bool { return int(word) >= len(ids) })
		row := make([]int32, n.Shape[0])
		dataset.Sequence(row, numbers, ids)
		n.split.Tokens = append(n.split.Tokens, row...)
		return nil
	}
}
