package progress

import "time"

// overall estimates the time left for a plan from the runs that this process has
// ended and the parts of those under way.
type overall struct {
	begun  time.Time
	open   int     // runs to do when it began
	ended  int     // since
	partly float64 // of the runs under way, the shares done here
}

// left is the time that the rest takes at the pace so far; false where nothing is
// done yet, or all.
func (o overall) left(at time.Time) (time.Duration, bool) {
	done, elapsed := float64(o.ended)+o.partly, at.Sub(o.begun)
	rest := float64(o.open) - done
	// A hundredth of a run is too little to judge by.
	if done < .01 || rest <= 0 || elapsed <= 0 {
		return 0, false
	}
	return time.Duration(float64(elapsed) / done * rest), true
}
