package command

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/doctor"
)

// The whole proof, on the CPU, with its JSON and exit code. It takes minutes on a busy
// machine, so it runs in `make -f .ci/checks.mk soak` only; package doctor tests the short checks.
func TestDoctorSoak(t *testing.T) {
	if os.Getenv("LOSSCORR_SOAK") == "" {
		t.Skip("make -f .ci/checks.mk soak tests it")
	}
	work := t.TempDir()
	p := start(t, work, realVars(t, work), "doctor", "--device", "cpu", "--json", "--python", "")
	p.ends(t, 0)
	var found Diagnosis
	if err := json.Unmarshal(p.out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	proof := found.Check
	groups := map[string]int{}
	for _, r := range proof.Results {
		groups[r.Group]++
		if r.Verdict == doctor.Passed && r.Deviation > r.Allowed {
			t.Errorf("%s: %s passed with %v above %v", r.Group, r.Name, r.Deviation, r.Allowed)
		}
	}
	for _, group := range []string{"operations", "losses", "formats", "streams", "networks", "memory", "resume"} {
		if groups[group] == 0 {
			t.Errorf("no check of %s", group)
		}
	}
	if proof.Failed != 0 || proof.Passed+proof.Skipped != len(proof.Results) || proof.Device != "cpu" {
		t.Errorf("%d passed, %d failed and %d skipped of %d on %s", proof.Passed, proof.Failed, proof.Skipped, len(proof.Results), proof.Device)
	}
	for _, s := range proof.Steps.Steps {
		if s.Ours == 0 && s.Note == "" {
			t.Errorf("%s was not timed, and nothing says why", s.Title)
		}
	}
	t.Logf("%d checks in %.0f s", len(proof.Results), proof.Seconds)
}

// A device that is not there, and words that are no flag, end the command before any check.
func TestDoctorRefuses(t *testing.T) {
	work := t.TempDir()
	vars := realVars(t, work)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"doctor", "--device", "cuda:63"}, app.ExitUnavailable},
		{[]string{"doctor", "--device", "gpu"}, app.ExitUsage},
		{[]string{"doctor", "--no-times"}, app.ExitUsage},
	} {
		start(t, work, vars, c.args...).ends(t, c.code)
	}
}
