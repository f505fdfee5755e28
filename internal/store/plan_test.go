package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// A plan edited by hand is refused, whatever was changed.
func TestEditedPlan(t *testing.T) {
	runs := configtest.Load(t, "dataset: mnist\ngrid: {loss: [forward, forward-estimated], seed: [1, 2]}\n")
	dir := t.TempDir()
	plan := Freeze(NewPlan(runs), "1.2.3")
	expect.Got(plan.Save(dir, false))(t)
	path := filepath.Join(dir, PlanName)
	text := expect.Got(os.ReadFile(path))(t)
	if again, err := LoadPlan(path); err != nil || len(again.Runs) != 6 || again.SHA256 != plan.SHA256 {
		t.Fatalf("%d runs, %v; want 6", len(again.Runs), err)
	}
	for old, changed := range map[string]string{
		`"program":"1.2.3"`: `"program":"1.2.4"`,
		`"seed":2`:          `"seed":3`,
		`"index":3`:         `"index":4`,
		`"implied":true`:    `"implied":false`,
		`forward seed 2`:    `forward seed 3`,
	} {
		edited := strings.Replace(string(text), old, changed, 1)
		if edited == string(text) {
			t.Errorf("the plan does not hold %s:\n%s", old, text)
			continue
		}
		expect.OK(t, os.WriteFile(path, []byte(edited), 0o666))
		var refused *PlanError
		if _, err := LoadPlan(path); !errors.As(err, &refused) {
			t.Errorf("%s for %s: %v, want a *PlanError", changed, old, err)
		}
	}
}
