package command

import (
	"github.com/losscorr/losscorr/experiments"
	"github.com/urfave/cli/v2"
)

func (p Program) schemaCommand() *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of configuration files, by which editors complete and check them",
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			_, err := p.Stdout.Write(experiments.Schema)
			return err
		},
	}
}
