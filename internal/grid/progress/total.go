package progress

import "time"

// overall estimates the time left for a plan from the runs that this process has ended
// and the finished parts of the active ones.
type overall struct {
	begun  time.Time
	open   int     // unfinished runs when it began
	ended  int     // runs that ended since
	partly float64 // sum of the fractions that this process has done of the active runs
}

// left returns the time for the rest at the pace so far; false if nothing is done yet,
// or everything.
func (o overall) left(at time.Time) (time.Duration, bool) {
	done, elapsed := float64(o.ended)+o.partly, at.Sub(o.begun)
	rest := float64(o.open) - done
	// A hundredth of a run is too little for an estimate.
	if done < .01 || rest <= 0 || elapsed <= 0 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / done * rest), true
}
