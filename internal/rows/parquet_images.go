package rows

import (
	"errors"
	"fmt"
	"sync"
)

// Images reads the images in a Parquet column in any order, fastest in the order of the rows. It is safe for concurrent
// use. The file stays open until nothing refers to it.
type Images struct {
	mu    sync.Mutex
	path  string
	table *parquetTable
	next  int // next row of the table, or -1 after an error
}

// OpenImages opens a column of images; see Features.Image.
func OpenImages(path, column string) (*Images, error) {
	file, closer, err := openParquet(path)
	if err != nil {
		return nil, err
	}
	table := tableOf(file)
	if c := file.Root().Column(column); c != nil && child(c, "bytes") != nil {
		table.addCursor(child(c, "bytes"))
		return &Images{path: path, table: table}, nil
	}
	return nil, errors.Join(fmt.Errorf("%s has no column %q of images", path, column), closer.Close())
}

// Read returns the bytes of the image in a row, or none if the file lacks them.
func (i *Images) Read(row int) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var err error
	if row != i.next {
		err = i.table.seek(int64(row))
	}
	raw := make([]string, 1)
	if err == nil {
		err = i.table.read(raw)
	}
	if err != nil {
		i.next = -1
		return nil, (&Reader{Path: i.path}).wrap(err)
	}
	i.next = row + 1
	return []byte(raw[0]), nil
}
