package audit

import (
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
