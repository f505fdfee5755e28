package command

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/runner"
	"github.com/urfave/cli/v2"
)

// Where no progress is asked for, the reading of data shows none, either.
func TestReadingIsSilent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, []byte("dataset: mnist\n"))
	for _, tt := range []struct {
		flag   string
		silent bool
	}{{"--quiet", true}, {"--progress=none", true}, {"--progress=lines", false}, {"--quiet=false", false}} {
		calls := 0
		p := Program{Execute: pretend, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
		p.Preflight = func(_ context.Context, _ []runner.Config, opt dataset.Options) error {
			calls++
			if silent := opt.Progress == nil; silent != tt.silent {
				t.Errorf("%s: silent is %v", tt.flag, silent)
			}
			return nil
		}
		if code := p.Main([]string{"losscorr", "train", file, tt.flag, "--out", t.TempDir()}); code != ExitDone || calls != 1 {
			t.Errorf("%s: exit code %d, data read %d times", tt.flag, code, calls)
		}
	}
}

// Each flag has an environment variable LOSSCORR_ and its name, and what reads
// prints JSON on request.
func TestFlags(t *testing.T) {
	p := Program{}.complete()
	reads := map[string]bool{}
	var walk func(string, []*cli.Command)
	walk = func(above string, commands []*cli.Command) {
		for _, c := range commands {
			walk(above+c.Name+" ", c.Subcommands)
			for _, f := range c.Flags {
				reads[above+c.Name] = reads[above+c.Name] || slices.Contains(f.Names(), "json")
				variable := "LOSSCORR_" + strings.ToUpper(strings.ReplaceAll(f.Names()[0], "-", "_"))
				documented, ok := f.(cli.DocGenerationFlag)
				if !ok || !slices.Contains(documented.GetEnvVars(), variable) {
					t.Errorf("%s%s --%s: no %s", above, c.Name, f.Names()[0], variable)
				}
			}
		}
	}
	walk("", p.commands())
	for _, name := range []string{"train", "doctor", "config show", "version"} {
		if !reads[name] {
			t.Errorf("%s has no --json", name)
		}
	}
}
