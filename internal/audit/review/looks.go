package review

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// looks caches the originals of examples that are shown or will be soon.
type looks struct {
	load    Originals
	ids     []string   // by row
	loading sync.Mutex // one at a time, while others read the cache

	mu    sync.Mutex // guards what follows
	kept  map[int]own.Original
	rows  []int // of kept, oldest first
	bytes int
}

const (
	keptBytes = 64 << 20 // largest size of the cache
	firstRows = 50       // to load at once while sizes are unknown
	mostRows  = 200      // to load at once
)

func newLooks(issues []audit.Issue, load Originals) *looks {
	l := &looks{load: load, ids: make([]string, len(issues)), kept: make(map[int]own.Original)}
	for _, issue := range issues {
		l.ids[issue.Row] = issue.ID
	}
	return l
}

// get returns the originals of some rows. If it must load one, it also loads the rows of
// ahead, whose argument is the wanted number, since reading one image of an archive takes
// as long as reading many. If some rows cannot be read, get returns the others by row, and
// the first error.
func (l *looks) get(ctx context.Context, rows []int, ahead func(count int) []int) (map[int]own.Original, error) {
	if len(l.missing(rows)) == 0 {
		return l.find(rows), nil
	}
	l.loading.Lock()
	defer l.loading.Unlock()
	var failed error
	if missing := l.missing(rows); len(missing) > 0 {
		failed = l.fetch(ctx, l.missing(append(ahead(l.room()), rows...)))
		if failed != nil && ctx.Err() == nil {
			failed = nil // unless one of rows fails, not one ahead
			for _, row := range missing {
				failed = cmp.Or(failed, l.fetch(ctx, []int{row}))
			}
		}
	}
	found := l.find(rows)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.bytes > keptBytes {
		l.bytes -= size(l.kept[l.rows[0]])
		delete(l.kept, l.rows[0])
		l.rows = l.rows[1:]
	}
	return found, failed
}

// find returns the cached ones of some rows.
func (l *looks) find(rows []int) map[int]own.Original {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make(map[int]own.Original, len(rows))
	for _, row := range rows {
		if look, ok := l.kept[row]; ok {
			found[row] = look
		}
	}
	return found
}

func size(o own.Original) int { return len(o.Image) + len(o.Text) }

// room returns how many rows may be loaded at once, estimated from the sizes of cached
// ones.
func (l *looks) room() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rows) == 0 {
		return firstRows
	}
	return min(mostRows, keptBytes/2/(l.bytes/len(l.rows)+1))
}

// missing returns the rows that are not cached, each once.
func (l *looks) missing(rows []int) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.DeleteFunc(slices.Clone(rows), func(row int) bool {
		_, ok := l.kept[row]
		return ok
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// fetch loads rows that are not cached.
func (l *looks) fetch(ctx context.Context, rows []int) error {
	ids := make([]string, len(rows))
	for k, row := range rows {
		ids[k] = l.ids[row]
	}
	list, err := l.load(ctx, ids)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, row := range rows[:min(len(rows), len(list))] {
		l.kept[row] = list[k]
		l.rows = append(l.rows, row)
		l.bytes += size(list[k])
	}
	return nil
}
