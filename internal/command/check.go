package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/check"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

func (p Program) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "look for duplicates, broken files and small classes in your own data", ArgsUsage: "DATA",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON, with every duplicate"},
			&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
			&cli.StringFlag{Name: "max-wrong", Usage: "with --certificate: exit with code 1 if more than `SHARE` of " +
				"the labels may be wrong, such as 3%; prints JSON"},
			&cli.StringFlag{Name: "certificate", Usage: "`FILE` certificate.json, written by losscorr review --accept"},
			&cli.BoolFlag{Name: "verify", Usage: "with --certificate: draw its labels again and recompute its verdict"},
		}, sourceFlags()),
		Action: p.check,
	}
}

// check reports problems in a user's own data. Finding some is not an error.
func (p Program) check(c *cli.Context) error {
	names := c.Args().Slice()
	switch certificate := c.IsSet("certificate"); {
	case !certificate && (c.IsSet("max-wrong") || c.Bool("verify")):
		return app.Misuse(c, "--max-wrong and --verify need --certificate FILE")
	case certificate && !c.IsSet("max-wrong") && !c.Bool("verify"):
		return app.Misuse(c, "--certificate needs --verify, or --max-wrong SHARE to test DATA")
	case certificate:
		return p.checkCertificate(c)
	}
	source, err := onePath(c, names)
	if err != nil {
		return err
	}
	report, err := checkOwn(c.Context, source, p.Reading(c))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.PrintJSON(report)
	}
	_, err = fmt.Fprint(p.Stdout, report.Text())
	return err
}

// checkOwn opens data with any number of broken files, and checks it.
func checkOwn(ctx context.Context, s own.Source, progress func(what string, done, total int)) (*check.Report, error) {
	opt := dataset.Options{Offline: true, MaxBad: math.MaxInt, Progress: progress}
	data, err := own.Open(s)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	_, report, err := check.Read(ctx, data, opt)
	return report, err
}
