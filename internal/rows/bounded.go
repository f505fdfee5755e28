package rows

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// bounded is a reader that fails after left bytes and keeps what was read since an offset. A csv.Reader reads at most
// 4 KiB ahead of its rows.
type bounded struct {
	r     io.Reader
	left  int
	again []byte // to read again, before r
	kept  []byte
	from  int64 // offset of kept
}

var errLongRow = fmt.Errorf("the row that begins here or after has more than %d MiB: is a quote not closed?",
	maxRow>>20)

func (b *bounded) Read(p []byte) (n int, err error) {
	switch {
	case b.left <= 0:
		return 0, errLongRow
	case len(b.again) > 0:
		n = copy(p, b.again)
		b.again = b.again[n:]
	default:
		n, err = b.r.Read(p)
	}
	b.left -= n
	b.kept = append(b.kept, p[:n]...)
	return n, err
}

// forget drops the bytes before an offset.
func (b *bounded) forget(offset int64) {
	const worthwhile = 64 << 10
	if n := int(offset - b.from); n >= worthwhile {
		b.kept = b.kept[:copy(b.kept, b.kept[n:])]
		b.from = offset
	}
}

// lines returns the first n lines from a kept offset on, and whether there are that many.
func (b *bounded) lines(offset int64, n int) (text []byte, all bool) {
	buffer := make([]byte, 4<<10)
	for {
		text = b.kept[offset-b.from:]
		if lines := bytes.SplitAfterN(text, []byte("\n"), n+1); len(lines) > n {
			return text[:len(text)-len(lines[n])], true
		}
		if got, err := b.Read(buffer); got == 0 && err != nil {
			return b.kept[offset-b.from:], false
		}
	}
}

// back lets everything from a kept offset on be read again. That offset becomes 0.
func (b *bounded) back(offset int64) {
	b.again = slices.Concat(b.kept[offset-b.from:], b.again)
	b.kept, b.from = b.kept[:0], 0
}
