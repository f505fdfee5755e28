package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// parts is the number of steps of a bar per epoch.
const parts = 100

// barWidth is the most columns that a bar takes beside its text.
const barWidth = 24

// barsProgress shows a bar for each active run, and one for the plan.
type barsProgress struct {
	pool  *mpb.Progress
	mu    sync.Mutex
	total *mpb.Bar
	all   overall
	under map[*barTrack]bool // active tracks
}

// NewBars shows a bar for each active run, and one for the plan.
func NewBars(w io.Writer) grid.Progress {
	return &barsProgress{under: map[*barTrack]bool{}, pool: mpb.New(mpb.WithOutput(w), mpb.WithWidth(80),
		mpb.WithAutoRefresh())}
}

func (p *barsProgress) Plan(total, finished int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = overall{begun: time.Now(), open: total - finished}
	p.total = p.pool.AddBar(int64(total),
		mpb.BarPriority(1<<20), // below the runs
		mpb.BarWidth(barWidth),
		mpb.PrependDecorators(decor.Name("all runs", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.CountersNoUnit(" %d of %d runs, "), decor.Elapsed(decor.ET_STYLE_GO),
			decor.Any(func(decor.Statistics) string { return p.left() })))
	p.total.SetCurrent(int64(finished))
}

func (p *barsProgress) Begin(run store.Planned) grid.Track {
	t := &barTrack{p: p, run: run}
	t.bar = p.pool.AddBar(int64(max(1, run.Config.Epochs)*parts),
		mpb.BarRemoveOnComplete(),
		mpb.BarWidth(barWidth),
		mpb.PrependDecorators(decor.Name(strings.TrimPrefix(run.Name, run.Config.Dataset+" "), decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return t.text() })))
	p.mu.Lock()
	p.under[t] = true
	p.mu.Unlock()
	return t
}

// left returns the time left for all runs, as text.
func (p *barsProgress) left() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.all
	for t := range p.under {
		all.partly += t.share()
	}
	if left, ok := all.left(time.Now()); ok {
		return ", " + humanize.Duration(left) + " left"
	}
	return ""
}

// Note prints above the bars.
func (p *barsProgress) Note(text string) { fmt.Fprintln(p.pool, humanize.VisibleLines(text)) }

func (p *barsProgress) Close() {
	p.mu.Lock()
	total := p.total
	p.mu.Unlock()
	if total != nil {
		// A plan that stopped early leaves its bar unfilled, and the pool would wait
		// for the rest.
		total.EnableTriggerComplete()
		total.Abort(false)
	}
	p.pool.Wait()
}

type barTrack struct {
	p    *barsProgress
	run  store.Planned
	bar  *mpb.Bar
	mu   sync.Mutex
	done int           // epochs
	last metrics.Epoch // of this attempt
	rate rate
}

// The bar's methods wait for the bar's goroutine, which may be inside text, so t.mu
// must not be held when they are called.

func (t *barTrack) Resumed(epochs int) {
	t.mu.Lock()
	t.done = epochs
	t.mu.Unlock()
	t.bar.SetCurrent(int64(epochs * parts))
}

func (t *barTrack) Batch(done, total int) {
	t.mu.Lock()
	t.rate.batch(time.Now(), t.done, done, total)
	at := t.rate.at
	t.mu.Unlock()
	t.bar.SetCurrent(int64(at * parts))
}

func (t *barTrack) Epoch(e metrics.Epoch) {
	t.mu.Lock()
	t.done, t.last = e.Epoch, e
	t.rate.epoch(time.Now(), e.Epoch)
	t.mu.Unlock()
	t.bar.SetCurrent(int64(e.Epoch * parts))
}

// text is short, so that it fits into 80 columns beside the name; the bar takes the
// rest.
func (t *barTrack) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := fmt.Sprintf(" %d/%d", t.done, t.run.Config.Epochs)
	if t.last.Epoch > 0 {
		text += fmt.Sprintf(" loss %.3f val %.1f%%", t.last.TrainLoss, t.last.ValAccuracy)
	}
	speed, left, ok := t.rate.estimate(time.Now(), t.run.Config)
	if ok && speed > 0 {
		text += fmt.Sprintf(" %.0fk/s", speed/1000)
	}
	if ok {
		text += " " + humanize.Duration(left)
	}
	return text
}

// share returns the fraction of the run that this process has done.
func (t *barTrack) share() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return (t.rate.at - t.rate.from) / float64(max(1, t.run.Config.Epochs))
}

func (t *barTrack) End(o grid.Outcome) {
	t.bar.Abort(true)
	t.p.mu.Lock()
	total := t.p.total
	delete(t.p.under, t)
	if o.State != store.Waiting {
		t.p.all.ended++
	}
	t.p.mu.Unlock()
	if total != nil && o.State != store.Stopped && o.State != store.Waiting {
		total.Increment()
	}
	t.p.Note(o.Name + "  " + o.Summary())
}
