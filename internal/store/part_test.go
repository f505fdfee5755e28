package store

import (
	"testing"

	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A part has each run once, and the runs that others need before them, which are implied unless requested.
func TestPart(t *testing.T) {
	plan := NewPlan(configtest.Load(t, "dataset: mnist\ngrid: {loss: [cross-entropy, forward-estimated, "+
		"backward-estimated, forward]}\n"))
	names := func(p Plan) (out []string) {
		for _, r := range p.Runs {
			name := r.Config.Loss
			if r.Implied {
				name += " (implied)"
			}
			out = append(out, name)
		}
		return out
	}
	expect.Same(t, []string{"cross-entropy", "forward-estimated", "backward-estimated", "forward"}, names(plan), "plan")
	for _, tt := range []struct {
		places []int
		want   []string
	}{
		{[]int{3}, []string{"forward"}},
		{[]int{1}, []string{"cross-entropy (implied)", "forward-estimated"}},
		{[]int{1, 2}, []string{"cross-entropy (implied)", "forward-estimated", "backward-estimated"}},
		{[]int{0, 1}, []string{"cross-entropy", "forward-estimated"}},
		{[]int{0, 1, 2, 3}, []string{"cross-entropy", "forward-estimated", "backward-estimated", "forward"}},
	} {
		expect.Same(t, tt.want, names(plan.Part(tt.places...)), "part")
	}
}
