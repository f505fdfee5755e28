package command

import (
	"fmt"

	"github.com/losscorr/losscorr"

	"github.com/urfave/cli/v2"
)

func (p Program) configCommand() *cli.Command {
	show := &cli.Command{
		Name: "show", Usage: "print every run of a configuration file in full, presets and overrides included",
		ArgsUsage: "FILE [key=value...]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "resolved", Hidden: true}, // always
			&cli.BoolFlag{Name: "origin", Usage: "show after each value where it was set"},
			&cli.BoolFlag{Name: "json", Usage: "print every run as JSON"},
		},
		Action: p.showConfig,
	}
	return group("config", "look at configurations", "command", show, p.schemaCommand())
}

func (p Program) showConfig(c *cli.Context) error {
	file, given, err := OneFile(c, noFile)
	if err != nil {
		return err
	}
	doc, err := readDocument(file, given)
	if err != nil {
		return err
	}
	runs, err := doc.Resolve()
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(map[string]any{"schema": 1, "runs": shown(runs, c.Bool("origin"))})
	}
	for i, r := range runs {
		text, err := r.YAML(c.Bool("origin"))
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(p.Stdout, "---")
		}
		if _, err := fmt.Fprintf(p.Stdout, "# run %s, %d of %d\n%s", r.Config.ID(), i+1, len(runs), text); err != nil {
			return err
		}
	}
	return nil
}

func (p Program) schemaCommand() *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of configuration files, for editors to complete and check them",
		Action: func(c *cli.Context) error {
			_, err := p.Stdout.Write(losscorr.Schema)
			return err
		},
	}
}
