package audit

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// Decisions and trusted labels with numbers of classes count after the classes get names.
func TestWithNames(t *testing.T) {
	got := withNames([]Decision{
		{ID: "a", Given: "0", Label: "10", Action: Other}, {ID: "b", Given: "neither", Label: "neither", Action: Accept},
		{ID: "c", Given: "1", Action: Skip},
	}, own.Source{ClassNames: []string{"0=hate", "10=neither"}})
	expect.Same(t, []Decision{
		{ID: "a", Given: "hate", Label: "neither", Action: Other},
		{ID: "b", Given: "neither", Label: "neither", Action: Accept}, {ID: "c", Given: "1", Action: Skip},
	}, got)
}

// Names are read once, not for each label.
func TestManyNames(t *testing.T) {
	var s own.Source
	for k := range 1000 {
		s.ClassNames = append(s.ClassNames, fmt.Sprintf("%d=class %d", k, k))
	}
	once := testing.AllocsPerRun(1, func() { s.Naming() })
	if n := testing.AllocsPerRun(1, func() { withNames(make([]Decision, 100), s) }); n > 2*once {
		t.Errorf("%v allocations, %v by the names alone", n, once)
	}
}
