package rows

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Lists reads a Parquet table with lists in some columns.
type Lists struct {
	Path   string
	Single []string // columns of single values; the name of a field follows its group's, as in answers.label
	Listed []string // columns of lists

	io.Closer
	names []string // of table.columns
	table *parquetTable
}

// OpenLists opens a Parquet table. It ignores lists of lists.
func OpenLists(path string) (*Lists, error) {
	opened, closer, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	l := &Lists{Path: path, Closer: closer, table: tableOf(opened, opened)}
	l.add(opened.Root(), nil)
	return l, nil
}

// add adds the leaves below a column.
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
		l.names = append(l.names, name)
	}
}

// leafName joins the names of a path, without the two levels of a list.
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

// Each calls visit with the values of some columns in each row, one for a column of single values. A missing value is
// "".
func (l *Lists) Each(columns []string, visit func(values [][]string) error) error {
	for _, name := range columns {
		k := slices.Index(l.names, name)
		if k < 0 {
			return fmt.Errorf("%s has no column %q: it has %s", l.Path, name, strings.Join(l.names, ", "))
		}
		l.table.addCursor(l.table.columns[k])
	}
	r := Reader{Path: l.Path, table: l.table}
	for {
		switch err := l.table.next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return r.wrap(err)
		}
		if err := visit(l.table.values); err != nil {
			return fmt.Errorf("%s: %w", r.Where(), err)
		}
	}
}
