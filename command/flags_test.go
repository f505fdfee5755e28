package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

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
