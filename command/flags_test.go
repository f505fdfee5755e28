package command

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/dataset"
)

// Where no progress is asked for, the reading of data shows none, either, and no time
// is foretold. Where JSON is, there is nothing else beside it.
func TestBeforeTheRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, []byte("dataset: mnist\n"))
	const plain = "this takes about 1 h 0 min, by the first steps (1 run, 1 at a time)\n"
	events := filepath.Join(t.TempDir(), "events.json")
	for _, tt := range []struct {
		flag     string
		silent   bool   // the reading
		Foretold string // in what is shown
	}{
		{"--quiet", true, ""},
		{"--progress=none", true, ""},
		{"--progress=lines", false, plain},
		{"--quiet=false", false, plain},
		{"--progress=json", true, `"event":"note","text":"this takes about`},
		{"--progress=json:" + events, false, ""},
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
		for line := range strings.Lines(shown.String()) {
			if tt.flag == "--progress=json" && !json.Valid([]byte(line)) {
				t.Errorf("%s: %q is no JSON", tt.flag, line)
			}
		}
	}
}

// Each flag has an environment variable LOSSCORR_ and its name, except those that choose rows
// of results, and what reads prints JSON on request. A variable is yes or no for all
// commands that read it, or for none.
func TestFlags(t *testing.T) {
	p := app.Program{}.Complete()
	reads, switches := map[string]bool{}, map[string]bool{}
	rows := []string{"dataset", "model", "preset", "loss", "state", "noise", "seed", "epochs", "sort", "columns", "only-changed"}
	var walk func(string, []*cli.Command)
	walk = func(above string, commands []*cli.Command) {
		for _, c := range commands {
			walk(above+c.Name+" ", c.Subcommands)
			for _, f := range c.Flags {
				reads[above+c.Name] = reads[above+c.Name] || slices.Contains(f.Names(), "json")
				variable := "LOSSCORR_" + strings.ToUpper(strings.ReplaceAll(f.Names()[0], "-", "_"))
				documented, ok := f.(cli.DocGenerationFlag)
				without := above == "results " && slices.Contains(rows, f.Names()[0])
				if !ok || slices.Contains(documented.GetEnvVars(), variable) == without {
					t.Errorf("%s%s --%s: %s is there: %v, want %v", above, c.Name, f.Names()[0], variable, without, !without)
				}
				_, yes := f.(*cli.BoolFlag)
				if before, known := switches[variable]; known && before != yes && !without {
					t.Errorf("%s%s --%s: %s is yes or no: %v, and %v for another command", above, c.Name, f.Names()[0], variable, yes, before)
				}
				switches[variable] = yes
			}
		}
	}
	walk("", commands(p))
	for _, name := range []string{"train", "doctor", "config show", "version"} {
		if !reads[name] {
			t.Errorf("%s has no --json", name)
		}
	}
}
