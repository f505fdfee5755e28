package grid

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// quietTime is the minimum time between two lines of one run, which keeps logs of fast epochs readable.
const quietTime = 10 * time.Second

// Display shows the work of a Runner as lines: for each run its first epoch, then at most one line every 10 seconds,
// and how it ended.
type Display struct {
	Out   io.Writer // nil: show nothing
	Quiet bool      // show only notes

	mu          sync.Mutex
	clock       func() time.Time // nil: time.Now
	begun       time.Time
	total, done int // runs
	ended       int // of them in this process
}

func (d *Display) now() time.Time {
	if d.clock != nil {
		return d.clock()
	}
	return time.Now()
}

// line writes a line. The caller holds the mutex.
func (d *Display) line(format string, args ...any) {
	if d.Out != nil && !d.Quiet {
		fmt.Fprintf(d.Out, format+"\n", args...)
	}
}

// plan shows how many runs there are, and how many were finished already.
func (d *Display) plan(total, finished int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total, d.done, d.ended, d.begun = total, finished, 0, d.now()
	if finished > 0 {
		d.line("%s, %d finished before", humanize.Runs(total), finished)
		return
	}
	d.line("%s", humanize.Runs(total))
}

// note shows a message.
func (d *Display) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Out != nil {
		fmt.Fprintln(d.Out, humanize.VisibleLines(fmt.Sprintf(format, args...)))
	}
}

func (d *Display) begin(run store.Planned) *track { return &track{d: d, run: run, begun: d.now()} }

// track shows one run. It is a store.Sink.
type track struct {
	d            *Display
	run          store.Planned
	begun, shown time.Time
	epoch        int       // the last finished one
	batches      int       // of an epoch
	since        time.Time // of the first report
	from, at     float64   // epochs done at the first report and now
}

// Resumed implements store.Sink.
func (t *track) Resumed(epochs int) { t.epoch = epochs }

// Batch implements store.Sink. It shows batches only in epochs that take long.
func (t *track) Batch(done, total int) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	now := t.d.now()
	t.batches = total
	t.move(now, float64(t.epoch)+float64(done)/float64(total))
	if now.Sub(t.begun) >= quietTime && now.Sub(t.shown) >= quietTime {
		t.shown = now
		t.line(fmt.Sprintf("epoch %d/%d, batch %d/%d", t.epoch+1, t.run.Config.Epochs, done, total))
	}
}

// Epoch implements store.Sink.
func (t *track) Epoch(e metrics.Epoch) {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	now := t.d.now()
	t.epoch = e.Epoch
	t.move(now, float64(e.Epoch))
	if now.Sub(t.shown) >= quietTime {
		t.shown = now
		t.line(fmt.Sprintf("epoch %d/%d, loss %.4f, val %.2f %%", e.Epoch, t.run.Config.Epochs, e.TrainLoss, e.ValAccuracy))
	}
}

// move sets the position of a run. A resumed run starts at its first report.
func (t *track) move(now time.Time, position float64) {
	if t.since.IsZero() {
		t.since, t.from = now, position
	}
	t.at = position
}

// line shows what a run does, with its speed and the time left once they are known.
func (t *track) line(text string) {
	if elapsed := t.d.now().Sub(t.since).Seconds(); elapsed > 0 && t.at > t.from {
		c, speed := t.run.Config, (t.at-t.from)/elapsed // epochs per second
		left := time.Duration((float64(c.Epochs) - t.at) / speed * float64(time.Second))
		text += fmt.Sprintf(", %.0f examples/s, %s left", speed*float64(t.batches*c.BatchSize), humanize.Duration(left))
	}
	t.d.line("%s %s  %s", t.run.ID, humanize.Visible(t.run.Name), text)
}

// end shows how the run ended, and the time left for the other runs at the pace so far.
func (t *track) end(o Outcome) {
	d := t.d
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := ""
	if o.State != store.Waiting && o.State != store.Stopped {
		d.done++
		d.ended++
		if open := d.total - d.done; open > 0 {
			left := d.now().Sub(d.begun) / time.Duration(d.ended) * time.Duration(open)
			rest = "; " + humanize.Duration(left) + " left for the others"
		}
	}
	d.line("[%d/%d] %s %s  %s%s", d.done, d.total, o.ID, humanize.Visible(o.Name), humanize.VisibleLines(o.Summary()),
		rest)
}
