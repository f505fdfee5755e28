package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
)

// The help of every command ends in an example whose flags exist.
func TestExamples(t *testing.T) {
	p := app.Program(Default()).Complete()
	line := p.App("losscorr", "")
	line.Commands = commands(p)
	seen := 0
	var walk func(name string, commands []*cli.Command)
	walk = func(name string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden {
				continue
			}
			if slices.ContainsFunc(c.Subcommands, func(c *cli.Command) bool { return !c.Hidden }) {
				walk(name+" "+c.Name, c.Subcommands)
				continue
			}
			_, example, ok := strings.Cut("\n\n"+c.Description, "\n\nexample: ")
			if !ok || !strings.HasPrefix(example+" ", name+" "+c.Name+" ") {
				t.Errorf("%s %s: the description %q is no example of it", name, c.Name, c.Description)
				continue
			}
			if _, err := app.Permute(line, strings.Fields(example)); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			seen++
		}
	}
	walk("losscorr", line.Commands)
	if seen != len(app.Examples) {
		t.Errorf("%d commands have one of %d examples", seen, len(app.Examples))
	}
}
