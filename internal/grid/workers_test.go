package grid

import (
	"testing"

	"github.com/losscorr/losscorr/internal/store"
)

// No more workers are started than there are runs: each would cost memory.
func TestWorkersAreCapped(t *testing.T) {
	plan := store.Plan{Runs: make([]store.Planned, 3)}
	for asked, want := range map[int]int{1: 1, 3: 3, 1_000_000_000: 3} {
		if got := newSchedule(&Runner{Root: t.TempDir(), Workers: asked}, plan).workers(); got != want {
			t.Errorf("%d workers for 3 runs become %d, want %d", asked, got, want)
		}
	}
}
