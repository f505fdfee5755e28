package rows

import (
	"errors"
	"fmt"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// Images reads the images of a column of Parquet, in any order; that of the rows is the fastest.
// Its methods may be called from several goroutines. The file is open until nothing refers to it.
type Images struct {
	path   string
	table  *parquetTable
	column *parquet.Column // of the bytes

	mu      sync.Mutex
	cursor  cursor
	next    int          // row that the cursor reads; -1 for none
	left    int          // rows of its group from there on
	checked map[int]bool // groups whose pages are plausible
}

// OpenImages opens the column of images of a Parquet file, which Features names.
func OpenImages(path, column string) (_ *Images, err error) {
	file, closed, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	i := &Images{path: path, next: -1, checked: map[int]bool{}}
	i.table = tableOf(file, file)
	if c := file.Root().Column(column); c != nil {
		i.column = child(c, "bytes")
	}
	if i.column == nil {
		return nil, errors.Join(fmt.Errorf("%s has no column %q of images", path, column), closed())
	}
	i.table.columns = []*parquet.Column{i.column}
	return i, nil
}

// Read returns the bytes of the image of a row; none where it has no image in the file.
func (i *Images) Read(row int) (_ []byte, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	defer func() {
		if err != nil {
			i.next, err = -1, fmt.Errorf("%s: row %d: %w", i.path, row, err)
		}
	}()
	defer recoverDamage(&err)
	if row != i.next || i.left == 0 {
		if err := i.seek(row); err != nil {
			return nil, err
		}
	}
	text, err := i.cursor.next()
	if err != nil {
		return nil, fmt.Errorf("the file is damaged: %w", err)
	}
	i.next, i.left = row+1, i.left-1
	return []byte(text), nil
}

// seek places the cursor at a row.
func (i *Images) seek(row int) error {
	first := 0
	for k, group := range i.table.groups {
		n := int(group.NumRows())
		if row < first || row >= first+n {
			first += n
			continue
		}
		if !i.checked[k] {
			if err := i.table.checkPages(k, i.column.Index()); err != nil {
				return err
			}
			i.checked[k] = true
		}
		i.cursor.text = conversion(i.column.Type())
		i.cursor.begin(group.ColumnChunks()[i.column.Index()])
		i.left = first + n - row
		return i.cursor.pages.SeekToRow(int64(row - first))
	}
	return fmt.Errorf("there are %d rows", first)
}
