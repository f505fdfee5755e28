package command

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
)

// Where no progress is asked for, the reading of data shows none, either, and no time
// is predicted.
func TestBeforeTheRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, []byte("dataset: mnist\n"))
	const plain = "this takes about 1 h 0 min, by the first steps (1 run, 1 at a time)\n"
	for _, tt := range []struct {
		flag     string
		silent   bool   // the reading
		Foretold string // in what is shown
	}{
		{"--quiet", true, ""},
		{"--progress=none", true, ""},
		{"--progress=lines", false, plain},
		{"--quiet=false", false, plain},
	} {
		calls := 0
		var shown bytes.Buffer
		p := pretending(fakePipeline{each: time.Hour, preflight: func(_ context.Context, opt dataset.Options) error {
			calls++
			if silent := opt.Progress == nil; silent != tt.silent {
				t.Errorf("%s: silent is %v", tt.flag, silent)
			}
			return nil
		}})
		p.Stderr = &shown
		if code := p.Main([]string{"losscorr", "train", file, tt.flag, "--out", t.TempDir()}); code != app.ExitDone || calls != 1 {
			t.Errorf("%s: exit code %d, data read %d times", tt.flag, code, calls)
		}
		if got := shown.String(); !strings.Contains(got, tt.Foretold) || tt.Foretold == "" && strings.Contains(got, "this takes") {
			t.Errorf("%s: shown is %q, want %q in it", tt.flag, got, tt.Foretold)
		}
	}
}

// Commands that read print JSON on request.
func TestFlags(t *testing.T) {
	p := app.Program{}.Complete()
	reads := map[string]bool{}
	var walk func(string, []*cli.Command)
	walk = func(above string, commands []*cli.Command) {
		for _, c := range commands {
			walk(above+c.Name+" ", c.Subcommands)
			reads[above+c.Name] = slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "json") })
		}
	}
	walk("", commands(p))
	for _, name := range []string{"train", "doctor", "config show", "grid status", "check", "audit", "version"} {
		if !reads[name] {
			t.Errorf("%s has no --json", name)
		}
	}
}
