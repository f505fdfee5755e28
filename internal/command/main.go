package command

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/command/labels"
	"github.com/losscorr/losscorr/internal/command/runs"
	"github.com/losscorr/losscorr/internal/store"
)

// Program is a command line with what does its work.
type Program app.Program

// Main is the losscorr command. It returns the exit code.
func Main(args []string) int { return Default().Main(args) }

// Main is the losscorr command with p's parts.
func (own Program) Main(args []string) int {
	p := app.Program(own).Complete()
	line := p.App("losscorr", "train deep networks through label noise")
	line.Commands = commands(p)
	line.EnableBashCompletion = true
	line.Action = func(c *cli.Context) error { return cli.ShowAppHelp(c) }
	return p.Run(line, args)
}

// topCommands are the commands of the program and the machine.
type topCommands struct{ app.Program }

// commands are all of them, as the help shows them.
func commands(p app.Program) []*cli.Command {
	data, runs, here := labels.Commands{Program: p}, runs.Commands{Program: p}, topCommands{p}
	return app.Explained("losscorr", slices.Concat(data.All(), runs.All(), []*cli.Command{
		here.doctorCommand(), here.setupCommand(), data.EncodersCommand(), here.completionCommand(), here.versionCommand(),
	}))
}

func (p topCommands) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version", OnUsageError: app.OnUsageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "licences", Aliases: []string{"licenses"},
				Usage: "print the licences of the program and of all code in it"},
		},
		Action: func(c *cli.Context) error {
			if err := app.NoArguments(c); err != nil {
				return err
			}
			if c.Bool("licences") {
				_, err := fmt.Fprintf(p.Stdout, "%s\n%s", losscorr.Licence, losscorr.Notices)
				return err
			}
			e := store.NewEnvironment(losscorr.Version, nil)
			if c.Bool("json") {
				return p.PrintJSON(map[string]any{
					"schema": 1, "program": e.Program, "go": e.Go, "os": e.OS, "arch": e.Arch,
					"revision": e.Revision, "modified": e.Modified,
				})
			}
			line := fmt.Sprintf("losscorr %s %s %s/%s", e.Program, e.Go, e.OS, e.Arch)
			if e.Revision != "" {
				line += " " + e.Revision[:min(12, len(e.Revision))]
				if e.Modified {
					line += " modified"
				}
			}
			_, err := fmt.Fprintln(p.Stdout, line)
			return err
		},
	}
}
