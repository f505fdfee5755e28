package rows

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Lists is a Parquet table in which some columns hold a list in each row.
type Lists struct {
	Single []string // names of the columns of single values
	// of the columns of lists; a field's name follows its group's, as in answers.label
	Listed []string

	path   string
	table  *parquetTable
	closed func() error
}

// OpenLists opens a Parquet table. Lists of lists are not read.
func OpenLists(path string) (*Lists, error) {
	opened, closed, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	l := &Lists{path: path, closed: closed, table: tableOf(opened, opened)}
	l.add(opened.Root(), nil)
	return l, nil
}

// Close closes the file; so does Each.
func (l *Lists) Close() error { return l.closed() }

// add takes the leaves below a column.
func (l *Lists) add(c *parquet.Column, path []string) {
	for _, child := range c.Columns() {
		at := append(slices.Clone(path), child.Name())
		if !child.Leaf() {
			l.add(child, at)
			continue
		}
		if !readable(child.Type()) || child.MaxRepetitionLevel() > 1 {
			continue
		}
		name := leafName(at)
		l.table.columns = append(l.table.columns, child)
		if child.MaxRepetitionLevel() == 0 {
			l.Single = append(l.Single, name)
		} else {
			l.Listed = append(l.Listed, name)
		}
		l.table.others = append(l.table.others, name) // the names of the columns, in their order
	}
}

// leafName joins the names of a path, without the two levels that stand for a list.
func leafName(path []string) string {
	var names []string
	for k, name := range path {
		if k > 0 && slices.Contains([]string{"list", "bag", "element", "item", "array", "array_element"}, name) {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// Each calls visit with the values of columns in each row: a list of one value for a column of single
// values. A value that is missing is "".
func (l *Lists) Each(columns []string, visit func(values [][]string) error) (err error) {
	defer func() { err = errors.Join(err, l.closed()) }()
	defer recoverDamage(&err)
	p := l.table
	var elements []int // the level of definition from which on a value is one of a list
	for _, name := range columns {
		k := slices.Index(p.others, name)
		if k < 0 {
			return fmt.Errorf("%s has no column %q: it has %s", l.path, name, strings.Join(p.others, ", "))
		}
		c := p.columns[k]
		p.cursors = append(p.cursors, cursor{column: c.Index(), text: p.text(c)})
		elements = append(elements, elementLevel(p.file.Root(), c))
	}
	values := make([][]string, len(columns))
	for {
		switch err := p.nextGroup(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", l.path, err)
		}
		for ; p.left > 0; p.left-- {
			p.row++
			for k := range p.cursors {
				if values[k], err = p.cursors[k].list(values[k][:0], elements[k]); err != nil {
					return fmt.Errorf("%s%s: the file is damaged: %w", l.path, p.where(), err)
				}
			}
			if err := visit(values); err != nil {
				return fmt.Errorf("%s%s: %w", l.path, p.where(), err)
			}
		}
	}
}

// elementLevel is the level of definition of an element of the list that a leaf is in, which may be
// missing itself; 0 for one outside of lists.
func elementLevel(root, leaf *parquet.Column) int {
	level, at := 0, root
	for _, name := range leaf.Path() {
		at = at.Column(name)
		if at.Optional() || at.Repeated() {
			level++
		}
		if at.Repeated() {
			return level
		}
	}
	return 0
}

// list appends the values of the next row to a list.
func (c *cursor) list(to []string, element int) ([]string, error) {
	for first := true; ; first = false {
		switch err := c.fill(); {
		case err == io.EOF && !first:
			return to, nil
		case err == io.EOF:
			return to, io.ErrUnexpectedEOF
		case err != nil:
			return to, err
		}
		v := c.ready[0]
		if !first && v.RepetitionLevel() == 0 {
			return to, nil // it begins the next row
		}
		c.ready = c.ready[1:]
		switch {
		case !v.IsNull():
			to = append(to, c.text(v))
		case v.DefinitionLevel() >= element:
			to = append(to, "")
		}
	}
}
