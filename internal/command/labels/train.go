package labels

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/command/runs"
)

func (p Commands) trainCommand() *cli.Command {
	return &cli.Command{
		Name: "train", Usage: "run a configuration file, or train on your own data", ArgsUsage: "FILE|DATA [key=value...]",
		Flags:        slices.Concat(app.RunFlags("runs/<name of FILE or DATA>"), ownFlags(), sourceFlags()),
		OnUsageError: app.OnUsageError,
		Action: func(c *cli.Context) error {
			if isOwn(c) {
				return p.trainOwn(c)
			}
			if names, _ := app.Split(c.Args().Slice()); len(names) == 0 {
				return app.Misuse(c, "FILE or DATA is missing: a configuration FILE (.yaml), or your own data")
			}
			file, given, err := runs.OneFile(c)
			if err != nil {
				return err
			}
			if err := forOwnData(c, file); err != nil {
				return err
			}
			return runs.Commands{Program: p.Program}.TrainFile(c, file, given)
		},
	}
}
