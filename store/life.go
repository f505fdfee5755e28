package store

import (
	"os"
	"time"
)

// life is what a run whose status is running tells of its owner.
type life struct {
	State string    // Running, Killed or Silent
	Owner string    // process and host
	Seen  time.Time // of the last sign of life, by the file system's clock; zero where there is none
}

// Ago is how long before now the last sign of life was, never less than 0:
// clocks differ.
func (l life) Ago(now time.Time) time.Duration {
	if l.Seen.IsZero() {
		return 0
	}
	return max(0, now.Sub(l.Seen))
}

// lifeOf looks at the lease in the folder of a run whose status is running. One
// that cannot be read says nothing against its owner.
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
	case life.Ago(time.Now()) > 2*DefaultLeaseTime && !w.owner.here(me()):
		life.State = Silent
	}
	return life
}
