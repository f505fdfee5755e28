package review

import (
	"context"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/dataset"
)

// looks keeps the originals of examples that are or will soon be seen.
type looks struct {
	load func(context.Context, []int) ([]dataset.Original, error)

	mu    sync.Mutex
	kept  map[int]dataset.Original
	rows  []int // of kept, the oldest first
	bytes int
}

// keptBytes bounds what is kept, beside the example that is seen.
const keptBytes = 64 << 20

func newLooks(load func(context.Context, []int) ([]dataset.Original, error)) *looks {
	return &looks{load: load, kept: make(map[int]dataset.Original)}
}

// get returns the originals of some rows. If it has to load one, it also loads those
// ahead, for reading many costs little more than reading one. Where not all of them can
// be read, it returns those that can, by row, and the first error.
func (l *looks) get(ctx context.Context, rows, ahead []int) (map[int]dataset.Original, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	missing := l.missing(rows)
	var failed error
	if len(missing) > 0 {
		// Ahead may fail where rows do not, and one of rows where another does not.
		failed = l.fetch(ctx, l.missing(rows, ahead))
		if failed != nil && ctx.Err() == nil {
			failed = nil
			for _, row := range missing {
				if err := l.fetch(ctx, []int{row}); err != nil && failed == nil {
					failed = err
				}
			}
		}
	}
	found := make(map[int]dataset.Original, len(rows))
	for _, row := range rows {
		if look, ok := l.kept[row]; ok {
			found[row] = look
		}
	}
	for l.bytes > keptBytes && len(l.rows) > 0 {
		look := l.kept[l.rows[0]]
		l.bytes -= len(look.Image) + len(look.Text)
		delete(l.kept, l.rows[0])
		l.rows = l.rows[1:]
	}
	return found, failed
}

// missing returns the rows that are not kept, each once, in their order.
func (l *looks) missing(rows ...[]int) []int {
	out := slices.DeleteFunc(slices.Concat(rows...), func(row int) bool {
		_, ok := l.kept[row]
		return ok
	})
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *looks) fetch(ctx context.Context, rows []int) error {
	list, err := l.load(ctx, rows)
	if err != nil {
		return err
	}
	for k, row := range rows {
		if _, ok := l.kept[row]; !ok && k < len(list) {
			l.kept[row] = list[k]
			l.rows = append(l.rows, row)
			l.bytes += len(list[k].Image) + len(list[k].Text)
		}
	}
	return nil
}
