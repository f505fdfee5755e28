package grid

import "fmt"

// FailedError lists the failed runs of a plan. The other runs went on.
type FailedError struct {
	Total     int // runs in the plan
	Requested int // runs that are not implied
	Failed    []Outcome
}

// Error describes the first failure.
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

// StoppedError reports that Run was asked to stop before the plan's end.
type StoppedError struct {
	Done, Total int
	Err         error // ErrStopped, or ErrInterrupted if a run lost its work
	Cause       error // the cause of the context's cancellation
}

// Error includes how many runs were done.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("%v with %d of %d runs done; run the same command again to resume", e.Err, e.Done, e.Total)
}

// Unwrap returns Err and Cause.
func (e *StoppedError) Unwrap() []error { return []error{e.Err, e.Cause} }
