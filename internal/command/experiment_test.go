package command

import (
	"github.com/losscorr/losscorr"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

// Losses that are chosen narrow Table 3 to its rows of them: the stages after have
// losses of their own. What the last stage cannot start from is an error before the
// first one trains, which says what to do.
func TestStagesOfClothing1M(t *testing.T) {
	work := t.TempDir()
	exe := buildProgram(t, "experiments/clothing1m")
	for _, tt := range []struct {
		args           []string
		code           int
		stdout, stderr []string
		never          string
	}{
		{nil, app.ExitDone, []string{"3 runs", "clothing1m-clean no noise cross-entropy seed 1"}, []string{"fine-tune starts from "}, "clothing1m-clean no noise forward"},
		{[]string{"clean"}, app.ExitDone, []string{"clothing1m-clean no noise cross-entropy seed 1", "1 run in"}, nil, "forward"},
		{[]string{"clothing1m"}, app.ExitDone, []string{"3 runs"}, nil, "clothing1m-clean"},
		{[]string{"quick"}, app.ExitDone, []string{"3 runs", "clothing1m-clean no noise cross-entropy seed 1"}, []string{"quick-fine-tune starts from "}, "clothing1m-clean no noise forward"},
		{[]string{"quick-clean"}, app.ExitDone, []string{"1 run in"}, nil, "forward"},
		{[]string{"quick", "--loss", "forward"}, app.ExitDone, []string{"1 run in"}, nil, "clothing1m-clean"},
		{[]string{"--loss", "forward"}, app.ExitDone, []string{"clothing1m no noise forward seed 1", "1 run in"}, nil, "clothing1m-clean"},
		{[]string{"loss=cross-entropy"}, app.ExitDone, []string{"clothing1m no noise cross-entropy seed 1"}, nil, "clothing1m-clean"},
		{
			[]string{"--seeds", "1,2"}, app.ExitUsage, nil,
			[]string{"fine-tune starts from one run of clothing1m, not from 2: narrow it down, say with --seeds 1, or choose losses with --loss, which leaves fine-tune out (see "},
			"cross-entropy",
		},
		{[]string{"clothing1m", "--seeds", "1,2"}, app.ExitDone, []string{"6 runs in"}, nil, "clothing1m-clean"},
		{[]string{"quick", "--seeds", "1,2", "--out", "my runs"}, app.ExitUsage, nil, []string{"quick-fine-tune starts from one run of quick, not from 2"}, "cross-entropy"},
		{[]string{"quick", "seed=[1, 2]", "loss=[cross-entropy, backward, forward]", "--out", "my runs"}, app.ExitDone, []string{"6 runs in my runs"}, nil, "clothing1m-clean"},
	} {
		p := startProgram(t, exe, work, nil, append([]string{"--dry-run"}, tt.args...)...)
		p.ends(t, tt.code)
		contains(t, "stdout", p.out.String(), tt.stdout...)
		contains(t, "stderr", p.err.String(), tt.stderr...)
		if strings.Contains(p.out.String(), tt.never) {
			t.Errorf("%v lists %s:\n%s", p.Args, tt.never, p.out.String())
		}
	}

	p := startProgram(t, exe, work, nil, "fine-tune", "batch_size=8")
	p.ends(t, app.ExitUsage)
	contains(t, "stderr", p.err.String(), "which the run of clothing1m with loss forward leaves: do that run first, "+
		"with the arguments clothing1m --loss forward, or give the overrides that it was done with")
	p = startProgram(t, exe, work, nil, "clothing1m", "batch_size=8", "loss = forward", "--dry-run")
	p.ends(t, app.ExitDone)
	contains(t, "stdout", p.out.String(), "clothing1m no noise forward seed 1", "1 run in")

	leaveDiverged(t, filepath.Join(work, "runs", "clothing1m"), "batch_size=8", "loss=forward")
	p = startProgram(t, exe, work, nil, "fine-tune", "batch_size=8")
	p.ends(t, app.ExitDone)
	contains(t, "stderr", p.err.String(), "with loss forward leaves: that run diverged, and fine-tune is left out")
}

// leaveDiverged writes the folder of a run of Table 3 that diverged.
func leaveDiverged(t *testing.T, root string, overrides ...string) {
	t.Helper()
	doc, err := config.ReadFS(losscorr.Experiments(), "clothing1m/clothing1m.yaml", overrides...)
	if err != nil {
		t.Fatal(err)
	}
	configs, err := doc.Expand()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.Claim(root, configs[0], overrides, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := folder.WriteResult(store.Result{Schema: 1, ID: folder.ID, State: store.Diverged, Config: configs[0]}); err != nil {
		t.Fatal(err)
	}
}
