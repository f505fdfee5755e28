package store

import (
	"os"
	"time"
)

// life is what the lease of a run whose status is running shows about its owner.
type life struct {
	State string    // Running, Killed or Silent
	Owner string    // process and host
	Seen  time.Time // of the last sign of life, by the file system's clock; zero if there is none
}

// Ago returns the time from the last sign of life to now, at least 0, since clocks
// differ.
func (l life) Ago(now time.Time) time.Duration {
	if l.Seen.IsZero() {
		return 0
	}
	return max(0, now.Sub(l.Seen))
}

// lifeOf reads the lease in the folder of a run whose status is running. If it cannot
// be read, the owner counts as alive.
func lifeOf(dir string) life {
	life := life{State: Running}
	var w Watch
	free, err := w.Look(dir, DefaultLeaseTime)
	if err != nil {
		return life
	}
	life.Owner = w.owner.String()
	if info, err := os.Stat(leasePath(dir, w.generation)); err == nil {
		life.Seen = info.ModTime()
	}
	switch {
	case free:
		life.State = Killed
	case life.Ago(time.Now()) > 2*w.owner.patience(DefaultLeaseTime) && !w.owner.here(me()):
		life.State = Silent
	}
	return life
}
