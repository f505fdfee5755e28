package grid

import "fmt"

// FailedError says which runs of a plan failed; the others went on.
type FailedError struct {
	Total     int // runs in the plan
	Requested int // without those that were added for others
	Failed    []Outcome
	Left      int // runs that were not started, after too many failures
}

// Error names the first failures.
func (e *FailedError) Error() string {
	if len(e.Failed) == 1 && e.Total == 1 {
		return fmt.Sprintf("run %s failed: %v", e.Failed[0].ID, e.Failed[0].Err)
	}
	first, left := e.Failed[0], ""
	if e.Left > 0 {
		left = fmt.Sprintf(" and %d were not started", e.Left)
	}
	return fmt.Sprintf("%d of %d runs failed%s, the first: %s (%s): %v", len(e.Failed), e.Total, left, first.ID, first.Config.Name(), first.Err)
}

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error {
	causes := make([]error, len(e.Failed))
	for i, o := range e.Failed {
		causes[i] = o.Err
	}
	return causes
}

// StoppedError says that a plan was asked to stop before its end.
type StoppedError struct {
	Done, Total int
	Err         error // ErrStopped, or ErrInterrupted where a run lost its work
	Cause       error // what asked: the cause of the cancelled context
}

// Error says how far the plan came.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("%v with %d of %d runs done; run the same command again to go on", e.Err, e.Done, e.Total)
}

// Unwrap returns what ended the runs and what asked for it.
func (e *StoppedError) Unwrap() []error { return []error{e.Err, e.Cause} }
