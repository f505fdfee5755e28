package rows

import (
	"errors"
	"fmt"
	"sync"
)

// Images reads the images of a column of Parquet, in any order; that of the rows is the fastest.
// Its methods may be called from several goroutines. The file is open until nothing refers to it.
type Images struct {
	mu    sync.Mutex
	path  string
	table *parquetTable
	next  int // row that the table reads next; -1 where it has to seek
}

// OpenImages opens the column of images of a Parquet file, which Features names.
func OpenImages(path, column string) (*Images, error) {
	file, closed, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	table := tableOf(file, file)
	if c := file.Root().Column(column); c != nil && child(c, "bytes") != nil {
		table.addCursor(child(c, "bytes"))
		return &Images{path: path, table: table}, nil
	}
	return nil, errors.Join(fmt.Errorf("%s has no column %q of images", path, column), closed())
}

// Read returns the bytes of the image of a row; none where it has no image in the file.
func (i *Images) Read(row int) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var err error
	if row != i.next {
		err = i.table.seek(int64(row))
	}
	if err == nil {
		err = i.table.next()
	}
	if err != nil {
		i.next = -1
		return nil, (&Reader{Path: i.path}).wrap(err)
	}
	i.next = row + 1
	return []byte(i.table.values[0][0]), nil
}
