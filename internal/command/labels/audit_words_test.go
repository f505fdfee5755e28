package labels

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
)

// An audit prints its verdict, then the first warnings, then what the labels look like.
func TestAuditPrintsFewWarnings(t *testing.T) {
	for _, n := range []int{0, 6, 9} {
		s := audit.Summary{Examples: 100, Verdict: "Between 7 and 12.",
			Confusions: []audit.Confusion{{Given: "a", Suggested: "b", Count: 3}}}
		for k := range n {
			s.Warnings = append(s.Warnings, fmt.Sprintf("number %d", k))
		}
		p := Commands{app.Program{Stdout: &bytes.Buffer{}}}
		if err := p.showAudit("x", s); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(p.Stdout.(*bytes.Buffer).String(), "\n")
		if !strings.HasPrefix(lines[0], "Between 7 and 12.") {
			t.Errorf("the first line is %q", lines[0])
		}
		var want []string
		for k := range min(n, 6) {
			want = append(want, fmt.Sprintf("warning: number %d", k))
		}
		if n > 6 {
			want[5] = fmt.Sprintf("%d more warnings in %s", n-5, filepath.Join("x", audit.ReportFile))
		}
		want = append(want, `  3 labelled "a" look like "b"`)
		if got := lines[1 : 1+len(want)]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d warnings: %q, want %q", n, got, want)
		}
	}
}

// A signal while the page of a finished audit is written ends with the signal's code, not with that
// of runs that have checkpoints.
func TestSignalDuringThePage(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	d := &dataset.Dataset{Classes: []string{"cat", "dog"}}
	var p []float32
	for i := range 40 {
		d.Train.Labels = append(d.Train.Labels, i%2)
		v := .8 + .004*float32(i)
		if i%2 == 1 != (i%10 == 0) { // every tenth is wrong
			v = 1 - v
		}
		p = append(p, v, 1-v)
	}
	a := find.Audit{
		Data: d, Probabilities: p,
		Networks: config.Config{Loss: "cross-entropy", Seed: 1, Noise: config.Noise{Kind: "none"},
			Estimator: config.Estimator{Name: "vertices", Kappa: .3}},
		// only the page uses it from here on
		Note: func(string) { cancel(&app.SignalError{Signal: os.Interrupt}) },
	}
	folder := audit.At(filepath.Join(t.TempDir(), "audit"))
	_, err := runAudit(ctx, folder, a)
	if code := app.Exit(err); code != 130 {
		t.Errorf("exit code %d of %v", code, err)
	}
	if !strings.Contains(fmt.Sprint(err), "finished but for its page") {
		t.Error(err)
	}
	if _, err := folder.Summary(); err != nil {
		t.Error(err)
	}
}
