package review

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Example is an example on the page.
type Example struct {
	Place     int      `json:"place"`
	Rank      int      `json:"rank"`
	ID        string   `json:"id"`
	Given     string   `json:"given"`
	Suggested string   `json:"suggested"`
	Runner    string   `json:"runner"`   // likeliest other class if Suggested is Given; else ""
	Chance    string   `json:"chance"`   // p_wrong in words
	Asked     string   `json:"asked"`    // number of the random check; "" if none
	Look      Look     `json:"look"`     //
	Missing   string   `json:"missing"`  // why Look is empty
	Replaced  string   `json:"replaced"` // a warning if Look is not what was audited; else ""
	Likely    []string `json:"likely"`   // classes, likeliest first
	Near      []Near   `json:"near"`     // of the given class, then of the suggested class
	// the reviewer's last action, or the verdict if reviewers disagree or have settled it
	Decided string `json:"decided"`
	Label   string `json:"label"` // the decided label
	Said    []Said `json:"said"`  // by all; empty until the reviewer and somebody else have decided
	Next    int    `json:"next"`  // place of the next example; -1 if all are decided
}

// Look is how the page shows an example.
type Look struct {
	Row   int    `json:"row"`
	Image bool   `json:"image"`
	Text  string `json:"text"`
}

// Near are examples of a class.
type Near struct {
	Class string `json:"class"`
	Looks []Look `json:"looks"`
}

const (
	nearCount = 4      // similar examples of each class
	mostText  = 20_000 // shown bytes of a text
)

// nearOf returns the classes to compare an example with: the given and the suggested one,
// or the second likeliest if they are the same.
func (s *Session) nearOf(issue audit.Issue, likely []string) []string {
	second := issue.Suggested
	if second == issue.Given {
		second = likely[slices.IndexFunc(likely, func(name string) bool { return name != issue.Given })]
	}
	return []string{issue.Given, second}
}

// rows returns the rows that the page shows for an issue: itself, then its neighbours by
// class.
func (s *Session) rows(issue audit.Issue, classes []string) (all []int, near [][]int) {
	all = []int{issue.Row}
	for _, class := range classes {
		rows := s.near.nearest(issue.Row, class, nearCount)
		near, all = append(near, rows), append(all, rows...)
	}
	return all, near
}

// ahead returns about count rows that come after a place.
func (r *Reviewer) ahead(place, count int) []int {
	r.mu.Lock()
	places := r.queue(place, count/(1+2*nearCount)+1)
	r.mu.Unlock()
	var all []int
	for _, next := range places {
		issue := r.issues[r.order[next]]
		rows, _ := r.rows(issue, r.nearOf(issue, r.near.likely(issue.Row)))
		if all = append(all, rows...); len(all) >= count {
			break
		}
	}
	return all
}

// Example returns the example at a place of the order, and keeps it for the reviewer.
func (r *Reviewer) Example(ctx context.Context, place int) Example {
	i := r.order[place]
	issue := r.issues[i]
	likely := r.near.likely(issue.Row)
	classes := r.nearOf(issue, likely)
	rows, near := r.rows(issue, classes)
	looks, err := r.looks.get(ctx, rows, func(count int) []int { return r.ahead(place, count) })

	r.mu.Lock()
	last, said, next := r.seen(i), r.said(i), r.next(place)
	r.reserve(place)
	r.mu.Unlock()
	e := Example{
		Place: place, Rank: issue.Rank, ID: issue.ID, Given: issue.Given, Suggested: issue.Suggested,
		Chance: page.Chance(issue.PWrong),
		Look:   newLook(issue.Row, looks[issue.Row]), Likely: likely[:min(len(likely), 12)], Next: next,
		Decided: string(last.Action), Label: last.Label, Said: said,
	}
	if issue.Suggested == issue.Given {
		e.Runner = classes[1]
	}
	if place < r.asked {
		e.Asked = fmt.Sprintf("Drawn at random: check %d of %d.", place+1, r.asked)
	}
	if !e.Look.Image && e.Look.Text == "" {
		e.Missing = r.none
		if err != nil {
			e.Missing = "This example cannot be read: " + err.Error()
		}
	}
	if sum, sums := looks[issue.Row].Sum, r.judged.Sums; sums != nil && sums[issue.Row] != 0 && sum != 0 &&
		sum != sums[issue.Row] {
		e.Replaced = "This example was replaced after the audit, so the audit judged another one. Audit again before you " +
			"rely on its suggestion."
	}
	for k, class := range classes {
		n := Near{Class: class, Looks: []Look{}}
		for _, row := range near[k] {
			if look := newLook(row, looks[row]); look.Image || look.Text != "" {
				n.Looks = append(n.Looks, look)
			}
		}
		e.Near = append(e.Near, n)
	}
	if r.blind {
		e.Rank, e.Suggested, e.Runner, e.Chance, e.Likely, e.Near = 0, e.Given, "", "", []string{}, []Near{}
	}
	return e
}

func newLook(row int, o own.Original) Look {
	text := o.Text
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + " …"
	}
	return Look{Row: row, Image: len(o.Image) > 0, Text: text}
}

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

// neighbours finds examples of a class that are similar to another example.
type neighbours struct {
	roots   []float32        // square roots of the posteriors [N C]
	of      map[string][]int // by class, the half of its rows with the better ranks
	classes []string
}

func newNeighbours(classes []string, issues []audit.Issue, posteriors []float32) *neighbours {
	n := &neighbours{roots: make([]float32, len(posteriors)), of: make(map[string][]int), classes: classes}
	for k, v := range posteriors {
		n.roots[k] = float32(math.Sqrt(float64(v)))
	}
	for place, i := range slices.Backward(issues) {
		if place < len(issues)/2 {
			break
		}
		n.of[i.Given] = append(n.of[i.Given], i.Row)
	}
	return n
}

// row returns the roots of a row.
func (n *neighbours) row(r int) []float32 { return n.roots[r*len(n.classes):][:len(n.classes)] }

// nearest returns at most count rows of a class that are likely labelled right and have the posteriors
// nearest to row's by the Hellinger distance, nearest first.
func (n *neighbours) nearest(row int, class string, count int) []int {
	type candidate struct {
		row      int
		distance float32
	}
	var best []candidate
	from := n.row(row)
	for _, r := range n.of[class] {
		if r == row {
			continue
		}
		var d float32
		for k, v := range n.row(r) {
			d += (v - from[k]) * (v - from[k])
		}
		if len(best) == count && d >= best[count-1].distance {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, d, func(c candidate, d float32) int { return cmp.Compare(c.distance, d) })
		best = slices.Insert(best, at, candidate{r, d})
		best = best[:min(len(best), count)]
	}
	rows := make([]int, len(best))
	for k, c := range best {
		rows[k] = c.row
	}
	return rows
}

// likely returns the classes by the posterior of a row, likeliest first.
func (n *neighbours) likely(row int) []string {
	order := make([]int, len(n.classes))
	for k := range order {
		order[k] = k
	}
	p := n.row(row)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	names := make([]string, len(order))
	for k, i := range order {
		names[k] = n.classes[i]
	}
	return names
}
