package store

import (
	"os"
	"time"
)

// watch adds what the lease of a running run shows about its owner. If it cannot be read, the owner counts as alive.
func (s *FolderState) watch(dir string) {
	var w Watch
	free, err := w.Look(dir, DefaultLeaseTime)
	if err != nil {
		return
	}
	s.Owner = w.owner.String()
	if info, err := os.Stat(leasePath(dir, w.generation)); err == nil {
		s.Ago = max(0, time.Since(info.ModTime())) // clocks may differ
	}
	switch {
	case free:
		s.State = Killed
	case s.Ago > 2*w.owner.patience(DefaultLeaseTime) && !w.owner.here(me()):
		s.State = Silent
	}
}
