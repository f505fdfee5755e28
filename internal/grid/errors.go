package grid

import "fmt"

// FailedError lists the runs of a plan that failed. The other runs were not stopped.
type FailedError struct {
	Total     int // runs in the plan
	Requested int // runs in the plan that are not implied
	Failed    []Outcome
}

// Error names the first failures.
func (e *FailedError) Error() string {
	if len(e.Failed) == 1 && e.Total == 1 {
		return fmt.Sprintf("run %s failed: %v", e.Failed[0].ID, e.Failed[0].Err)
	}
	first := e.Failed[0]
	return fmt.Sprintf("%d of %d runs failed, the first: %s (%s): %v", len(e.Failed), e.Total, first.ID, first.Name,
		first.Err)
}

// Unwrap returns the causes.
func (e *FailedError) Unwrap() []error {
	causes := make([]error, len(e.Failed))
	for i, o := range e.Failed {
		causes[i] = o.Err
	}
	return causes
}

// StoppedError says that a call of Run was asked to stop before the plan's end.
type StoppedError struct {
	Done, Total int
	Err         error // ErrStopped, or ErrInterrupted where a run lost its work
	Cause       error // the cause of the cancelled context
}

// Error says how many runs were done.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("%v with %d of %d runs done; run the same command again to resume", e.Err, e.Done, e.Total)
}

// Unwrap returns Err and Cause.
func (e *StoppedError) Unwrap() []error { return []error{e.Err, e.Cause} }
