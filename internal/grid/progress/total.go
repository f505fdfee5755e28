package progress

import "time"

// overall estimates the time left for a plan from the runs that ended in this process and the finished parts of the
// active ones.
type overall struct {
	begun  time.Time
	open   int     // unfinished runs at the start
	ended  int     // runs that ended since
	partly float64 // sum of the fractions of active runs done by this process
}

// left returns the time left at the pace so far; false if nothing or everything is done.
func (o overall) left(at time.Time) (time.Duration, bool) {
	done, elapsed := float64(o.ended)+o.partly, at.Sub(o.begun)
	rest := float64(o.open) - done
	// A hundredth of a run is too little for an estimate.
	if done < .01 || rest <= 0 || elapsed <= 0 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / done * rest), true
}
