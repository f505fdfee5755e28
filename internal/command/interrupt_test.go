package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/store"
)

// interruptVar makes the real program send itself a signal after a number of batches of all
// its runs: INTERRUPT=40:TERM. So a run ends within an epoch, whatever the speed of the
// machine.
const interruptVar = "INTERRUPT"

// interrupting returns a program that obeys interruptVar. Its runs log their first batch and
// their number of batches.
func interrupting(p Program) Program {
	p.Pipeline = interruptedPipeline{Pipeline: p.Pipeline, done: new(atomic.Int64)}
	return p
}

type interruptedPipeline struct {
	app.Pipeline
	done *atomic.Int64 // batches of the process
}

func (p interruptedPipeline) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	watch := &batchWatch{Sink: job.Progress, ctx: ctx, job: job, done: p.done}
	if text, name, ok := strings.Cut(os.Getenv(interruptVar), ":"); ok {
		if _, err := fmt.Sscan(text, &watch.limit); err != nil {
			return store.Result{}, err
		}
		watch.signal = map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT,
			"HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1}[name]
	}
	job.Progress = watch
	result, err := p.Pipeline.Execute(ctx, job)
	fmt.Fprintf(job.Log, "test: %d batches\n", watch.own)
	return result, err
}

type batchWatch struct {
	store.Sink
	ctx    context.Context
	job    *store.Job
	done   *atomic.Int64
	own    int // batches of this run
	limit  int64
	signal syscall.Signal
}

func (w *batchWatch) Batch(done, total int) {
	if w.own++; w.own == 1 {
		fmt.Fprintf(w.job.Log, "test: begins with batch %d of %d\n", done, total)
	}
	w.Sink.Batch(done, total)
	if w.limit > 0 && w.done.Add(1) == w.limit {
		if err := syscall.Kill(os.Getpid(), w.signal); err != nil {
			panic(err)
		}
		<-w.ctx.Done()
	}
}
