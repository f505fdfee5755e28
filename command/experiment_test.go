package command

import (
	"bytes"
	"testing"

	"github.com/losscorr/losscorr/experiments"
)

// clothingStages are those of experiments/clothing1m.
var clothingStages = []Stage{
	{Config: "clean"},
	{Config: "fine-tune", From: "clothing1m", Loss: "forward"},
	{After: "quick", Config: "quick-clean"},
	{After: "quick", Config: "quick-fine-tune", From: "quick", Loss: "forward"},
}

// Losses that are chosen narrow Table 3 to its rows of them: the stages after have
// losses of their own. What the last stage cannot start from is told before the
// first one trains.
func TestStagesOfClothing1M(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr []string
		never          string
	}{
		{nil, ExitDone, []string{"3 runs", "clothing1m-clean no noise cross-entropy seed 1"}, []string{"fine-tune starts from "}, "clothing1m-clean no noise forward"},
		{[]string{"clean"}, ExitDone, []string{"clothing1m-clean no noise cross-entropy seed 1", "1 run in"}, nil, "forward"},
		{[]string{"clothing1m"}, ExitDone, []string{"3 runs"}, nil, "clothing1m-clean"},
		{[]string{"quick"}, ExitDone, []string{"3 runs", "clothing1m-clean no noise cross-entropy seed 1"}, []string{"quick-fine-tune starts from "}, "clothing1m-clean no noise forward"},
		{[]string{"quick-clean"}, ExitDone, []string{"1 run in"}, nil, "forward"},
		{[]string{"quick", "--loss", "forward"}, ExitDone, []string{"1 run in"}, nil, "clothing1m-clean"},
		{[]string{"--loss", "forward"}, ExitDone, []string{"clothing1m no noise forward seed 1", "1 run in"}, nil, "clothing1m-clean"},
		{[]string{"loss=cross-entropy"}, ExitDone, []string{"clothing1m no noise cross-entropy seed 1"}, nil, "clothing1m-clean"},
		{[]string{"--seeds", "1,2"}, ExitUsage, nil, []string{"fine-tune starts from one run of clothing1m, not from 2"}, "cross-entropy"},
	} {
		var out, diagnostics bytes.Buffer
		p := Program{Stdout: &out, Stderr: &diagnostics}
		args := append([]string{"clothing1m", "--dry-run"}, tt.args...)
		if code := p.Experiment("clothing1m", experiments.Files, args, clothingStages...); code != tt.code {
			t.Errorf("%v: exit code %d, want %d: %s", args, code, tt.code, diagnostics.String())
		}
		contains(t, "stdout", out.String(), tt.stdout...)
		contains(t, "stderr", diagnostics.String(), tt.stderr...)
		if bytes.Contains(out.Bytes(), []byte(tt.never)) {
			t.Errorf("%v lists %s:\n%s", args, tt.never, out.String())
		}
	}
	var diagnostics bytes.Buffer
	p := Program{Stdout: &bytes.Buffer{}, Stderr: &diagnostics}
	if code := p.Experiment("clothing1m", experiments.Files, []string{"clothing1m", "fine-tune"}, clothingStages...); code != ExitUsage {
		t.Errorf("fine-tune without its first network: exit code %d, want %d", code, ExitUsage)
	}
	contains(t, "stderr", diagnostics.String(), "which the run of clothing1m with loss forward leaves: do that first")
}
