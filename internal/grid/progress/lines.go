package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// quietTime is the minimum time between two lines of one run, which keeps logs of fast epochs readable.
const quietTime = 10 * time.Second

// newLines writes progress as plain lines: for each run its first epoch, then at most one line every 10 seconds, and
// how it ended.
func newLines(w io.Writer) grid.Progress {
	return &linesProgress{w: w, clock: time.Now}
}

type linesProgress struct {
	mu          sync.Mutex
	w           io.Writer
	clock       func() time.Time
	total, done int
	all         overall
}

func (p *linesProgress) Plan(total, finished int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.done = total, finished
	p.all = overall{begun: p.clock(), open: total - finished}
	if finished > 0 {
		fmt.Fprintf(p.w, "%s, %d finished before\n", humanize.Runs(total), finished)
		return
	}
	fmt.Fprintf(p.w, "%s\n", humanize.Runs(total))
}

func (p *linesProgress) Begin(run store.Planned) grid.Track {
	return &lineTrack{p: p, run: run, begun: p.clock()}
}

func (p *linesProgress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, humanize.VisibleLines(text))
}

func (p *linesProgress) Close() {}

type lineTrack struct {
	p     *linesProgress
	run   store.Planned
	begun time.Time
	shown time.Time
	epoch int // the last finished one
	rate  rate
}

func (t *lineTrack) Resumed(epochs int) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.epoch = epochs
}

func (t *lineTrack) Batch(done, total int) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.rate.batch(t.p.clock(), t.epoch, done, total)
	if at := t.p.clock(); at.Sub(t.begun) >= quietTime && at.Sub(t.shown) >= quietTime {
		t.shown = at
		fmt.Fprintf(t.p.w, "%s %s  epoch %d/%d, batch %d/%d%s\n", t.run.ID, humanize.Visible(t.run.Name), t.epoch+1,
			t.run.Config.Epochs, done, total, t.pace())
	}
}

func (t *lineTrack) Epoch(e metrics.Epoch) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.epoch = e.Epoch
	at := t.p.clock()
	t.rate.epoch(at, e.Epoch)
	if !t.shown.IsZero() && at.Sub(t.shown) < quietTime {
		return
	}
	t.shown = at
	fmt.Fprintf(t.p.w, "%s %s  epoch %d/%d, loss %.4f, val %.2f %%%s\n", t.run.ID, humanize.Visible(t.run.Name), e.Epoch,
		t.run.Config.Epochs, e.TrainLoss, e.ValAccuracy, t.pace())
}

func (t *lineTrack) pace() string {
	return t.rate.text(t.p.clock(), t.run.Config)
}

func (t *lineTrack) End(o grid.Outcome) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	rest := ""
	if o.State != store.Waiting && o.State != store.Stopped {
		t.p.done++
		t.p.all.ended++
		if left, ok := t.p.all.left(t.p.clock()); ok {
			rest = "; " + humanize.Duration(left) + " left for the others"
		}
	}
	fmt.Fprintf(t.p.w, "[%d/%d] %s %s  %s%s\n", t.p.done, t.p.total, o.ID, humanize.Visible(o.Name),
		humanize.VisibleLines(o.Summary()), rest)
}

// rate estimates throughput and the time left from the progress of this attempt.
type rate struct {
	since      time.Time
	from, at   float64 // epochs done when counting started, and now
	perEpoch   int     // batches
	haveOrigin bool
}

func (r *rate) batch(at time.Time, epoch, done, total int) {
	if total > 0 {
		r.perEpoch = total
		r.move(at, float64(epoch)+float64(done)/float64(total))
	}
}

func (r *rate) epoch(at time.Time, epoch int) { r.move(at, float64(epoch)) }

func (r *rate) move(at time.Time, position float64) {
	// A run that resumes from a checkpoint jumps ahead at its first report.
	if !r.haveOrigin || position-r.at > 1 {
		r.since, r.from, r.haveOrigin = at, position, true
	}
	r.at = position
}

// text returns the known parts of ", 51200 examples/s, 12s left".
func (r *rate) text(at time.Time, c config.Config) string {
	speed, left, ok := r.estimate(at, c)
	switch {
	case !ok:
		return ""
	case speed == 0:
		return ", " + humanize.Duration(left) + " left"
	}
	return fmt.Sprintf(", %.0f examples/s, %s left", speed, humanize.Duration(left))
}

// estimate returns the examples per second, 0 if the batches per epoch are unknown, and the time left.
func (r *rate) estimate(at time.Time, c config.Config) (float64, time.Duration, bool) {
	elapsed := at.Sub(r.since).Seconds()
	if !r.haveOrigin || elapsed <= 0 || r.at <= r.from {
		return 0, 0, false
	}
	epochs := (r.at - r.from) / elapsed // per second
	left := (float64(c.Epochs) - r.at) / epochs
	return epochs * float64(r.perEpoch*c.BatchSize), time.Duration(left * float64(time.Second)), true
}
