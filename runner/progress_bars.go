package runner

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/losscorr/losscorr/training"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// parts divides an epoch's stretch of a bar.
const parts = 100

// barsProgress shows a bar for each run under way, and one for the plan.
type barsProgress struct {
	pool  *mpb.Progress
	mu    sync.Mutex
	total *mpb.Bar
	runs  int
}

func newBars(w io.Writer) *barsProgress {
	return &barsProgress{pool: mpb.New(mpb.WithOutput(w), mpb.WithWidth(24), mpb.WithAutoRefresh())}
}

func (p *barsProgress) Plan(total, finished int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs = total
	p.total = p.pool.AddBar(int64(total),
		mpb.BarPriority(1<<20), // below the runs
		mpb.PrependDecorators(decor.Name("all runs ", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d runs"), decor.Elapsed(decor.ET_STYLE_GO, decor.WC{W: 8})))
	p.total.SetCurrent(int64(finished))
}

func (p *barsProgress) Begin(run Planned) Track {
	t := &barTrack{p: p, run: run}
	t.bar = p.pool.AddBar(int64(max(1, run.Config.Epochs)*parts),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(run.Config.Name()+" ", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return t.text() })))
	return t
}

// Note prints above the bars.
func (p *barsProgress) Note(text string) { fmt.Fprintln(p.pool, text) }

func (p *barsProgress) Close() {
	p.mu.Lock()
	total := p.total
	p.mu.Unlock()
	if total != nil {
		// A plan that stopped early leaves its bar unfilled; without this the
		// pool would wait for the rest.
		total.EnableTriggerComplete()
		total.Abort(false)
	}
	p.pool.Wait()
}

type barTrack struct {
	p    *barsProgress
	run  Planned
	bar  *mpb.Bar
	mu   sync.Mutex
	last training.Epoch
	rate rate
}

func (t *barTrack) Batch(done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rate.batch(time.Now(), t.last.Epoch, done, total)
	t.bar.SetCurrent(int64(t.rate.at * parts))
}

func (t *barTrack) Epoch(e training.Epoch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = e
	t.rate.epoch(time.Now(), e.Epoch)
	t.bar.SetCurrent(int64(e.Epoch * parts))
}

func (t *barTrack) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := fmt.Sprintf("epoch %d/%d", t.last.Epoch, t.run.Config.Epochs)
	if t.last.Epoch > 0 {
		text += fmt.Sprintf(", loss %.4f, val %.2f %%", t.last.TrainLoss, t.last.ValAccuracy)
	}
	return text + t.rate.text(time.Now(), t.run.Config)
}

func (t *barTrack) End(o Outcome) {
	t.bar.Abort(true)
	t.p.mu.Lock()
	total := t.p.total
	t.p.mu.Unlock()
	if total != nil {
		total.Increment()
	}
	t.p.Note(fmt.Sprintf("%s %s  %s", o.ID, o.Config.Name(), summary(o)))
}
