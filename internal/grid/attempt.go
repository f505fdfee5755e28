package grid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/guard"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// attempt executes one run: it claims the run's folder, calls the executor and writes the result. It changes only that
// folder, and returns how the run ended: Waiting if another process is executing it.
func (s *schedule) attempt(ctx context.Context, o Outcome, device string, w *store.Watch) Outcome {
	// Another process may have finished the run since the plan was read, or may be about to.
	if s.finished(&o) {
		return o
	}
	folder, err := store.Claim(s.Root, o.Config, w, s.leaseTime())
	if errors.Is(err, store.ErrLocked) && (s.Wait || !w.Alive()) {
		o.State, o.Err = store.Waiting, err
		return o
	}
	if err != nil {
		o.State, o.Err = store.Failed, err
		s.progress.note("%s %s  %s", o.ID, o.Name, o.Summary())
		return o
	}
	if s.finished(&o) {
		folder.Close()
		return o
	}
	if s.Restart {
		err = folder.Restart()
	}
	t := &tracker{folder: folder, track: s.progress.begin(o.Planned)}
	t.warn = func(err error) { s.progress.note("%s %s  warning: %v", o.ID, o.Name, err) }
	if o.Err = err; err == nil {
		ctx, cancel := context.WithCancelCause(ctx)
		go func() {
			select {
			case <-folder.Lost():
				cancel(store.ErrTaken)
			case <-ctx.Done():
			}
		}()
		o.Result, o.Err = s.execute(ctx, o, device, t)
		cancel(nil)
	}
	o.State = stateOf(o)
	// After a failure, a status that cannot be written adds nothing to the error.
	if err := t.finish(&o); err != nil && o.Err == nil {
		o.State, o.Err = store.Failed, err
	}
	if errors.Is(o.Err, store.ErrTaken) && s.Wait {
		o.State, o.Result = store.Waiting, store.Result{}
	}
	t.end(o)
	return o
}

// finished uses the result that another process wrote, if any.
func (s *schedule) finished(o *Outcome) bool {
	result, err := store.At(s.Root, o.ID).Result()
	if err != nil || s.Restart {
		return false
	}
	o.settle(result)
	s.progress.begin(o.Planned).end(*o)
	return true
}

// settle uses the result of a finished run.
func (o *Outcome) settle(r store.Result) { o.Result, o.State, o.Skipped, o.Err = r, r.State, true, nil }

func stateOf(o Outcome) string {
	switch {
	case errors.Is(o.Err, store.ErrTaken):
		return store.Failed
	case errors.Is(o.Err, store.ErrStopped), errors.Is(o.Err, store.ErrInterrupted), errors.Is(o.Err, context.Canceled),
		errors.Is(o.Err, store.ErrUnavailable):
		return store.Stopped
	case o.Err != nil:
		return store.Failed
	case o.Result.State == store.Diverged:
		return store.Diverged
	}
	return store.Done
}

// execute calls the executor. A panic fails only this run; its stack is logged.
func (s *schedule) execute(ctx context.Context, o Outcome, device string, t *tracker) (result store.Result, err error) {
	log, err := t.folder.Log()
	if err != nil {
		return store.Result{}, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(log, "panic: %v\n%s", v, debug.Stack())
			cause, ok := v.(error) // of a tensor
			if _, bug := v.(runtime.Error); bug || !ok {
				cause = &guard.PanicError{Value: v}
			}
			err = fmt.Errorf("%w (the stack is in %s)", cause, t.folder.Path(store.LogFile))
		}
	}()
	if err := t.begin(o.Config, s.Environment, log); err != nil {
		return store.Result{}, err
	}
	job := &store.Job{Config: o.Config, Folder: t.folder, Progress: t, Log: log,
		CheckpointEvery: cmp.Or(s.CheckpointEvery, DefaultCheckpointEvery)}
	job.Config.Device = device
	job.Warn = func(err error) {
		fmt.Fprintf(log, "%s warning: %v\n", store.Timestamp(), err)
		t.warn(err)
	}
	if o.Needs != "" {
		if job.DependencyFolder, err = store.Open(s.Root, o.Needs); err != nil {
			return store.Result{}, err
		}
	}
	result, err = s.Execute(ctx, job)
	if err != nil {
		fmt.Fprintf(log, "%s %v\n", store.Timestamp(), err)
	}
	return result, err
}

// tracker shows a run's reports and keeps its status file up to date.
type tracker struct {
	*track
	folder *store.Folder
	status store.Status
	before float64 // seconds of earlier attempts
	env    store.Environment
	warned bool // about a status that could not be written
	warn   func(error)
}

func (t *tracker) begin(c config.Config, env store.Environment, log io.Writer) error {
	if old, err := t.folder.Status(); err == nil {
		t.status = old
	}
	if t.status.Epoch > 0 {
		env.Earlier = earlierCode(t.folder, env)
	}
	t.env, t.before = env, t.status.Seconds
	t.status.State, t.status.Error, t.status.Log, t.status.Epochs = store.Running, "", nil, c.Epochs
	t.status.Attempts++
	fmt.Fprintf(log, "%s attempt %d of %s\n", store.Timestamp(), t.status.Attempts, c.Name())
	if err := t.folder.SetEnvironment(env); err != nil {
		return err
	}
	return t.folder.SetStatus(t.status)
}

// earlierCode lists other code that trained epochs of the run in earlier attempts.
func earlierCode(f *store.Folder, now store.Environment) []string {
	old, err := f.Environment()
	if err != nil || old.Code == now.Code {
		return old.Earlier
	}
	return append(old.Earlier, old.Code.Mark())
}

// Epoch implements store.Sink.
func (t *tracker) Epoch(e metrics.Epoch) {
	t.status.Epoch, t.status.Seconds = e.Epoch, t.seconds()
	if err := t.folder.SetStatus(t.status); err != nil && !t.warned {
		t.warned = true
		t.warn(err)
	}
	t.track.Epoch(e)
}

func (t *tracker) seconds() float64 { return t.before + time.Since(t.begun).Seconds() }

// finish writes the environment, the status and then the result, which marks the run as finished, and releases the
// folder.
func (t *tracker) finish(o *Outcome) (err error) {
	defer t.folder.Close()
	t.status.State, t.status.Seconds = o.State, t.seconds()
	if o.Err != nil {
		t.status.Error = o.Err.Error()
	}
	if o.State == store.Failed {
		t.status.Log = t.folder.LogTail()
	}
	if o.Finished() {
		o.Result.Schema, o.Result.ID, o.Result.Config, o.Result.State = 1, o.ID, o.Config, o.State
		o.Result.Code, o.Result.Earlier = t.env.Code, t.env.Earlier
		o.Result.Finished = store.Timestamp()
		if o.Result.Seconds == 0 {
			o.Result.Seconds = t.status.Seconds
		}
	}
	err = t.folder.SetStatus(t.status)
	if err == nil && o.Finished() {
		err = t.folder.UpdateEnvironment(func(e *store.Environment) { e.PeakMiB = store.PeakMiB() })
	}
	if err == nil && o.Finished() {
		err = t.folder.WriteResult(o.Result)
	}
	if err != nil && o.Finished() { // finished, but without a result
		t.status.State, t.status.Error, t.status.Log = store.Failed, err.Error(), t.folder.LogTail()
		_ = t.folder.SetStatus(t.status) // if this fails too, err has the cause
	}
	return err
}
