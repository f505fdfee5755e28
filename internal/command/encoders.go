package command

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/store"
)

func (p Program) encodersCommand() *cli.Command {
	named := func(run func(ctx context.Context, e encoders.Entry, c *cli.Context) (string, error),
		arguments int) cli.ActionFunc {
		return func(c *cli.Context) error {
			if n := c.NArg(); n < arguments || n > arguments && c.Command.Name != "add" {
				return app.Misuse(c, "want %s", c.Command.ArgsUsage)
			}
			e := encoders.All.Named(c.Args().First())
			if e.Name == "" {
				return app.Misuse(c, "unknown encoder %q; there are: %v", c.Args().First(), encoders.All.Names())
			}
			defer app.Stoppable(c.Context, app.OtherStops)()
			path, err := run(c.Context, e, c)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.Stdout, path)
			return err
		}
	}
	offline := &cli.BoolFlag{Name: "offline", Usage: "fetch nothing", EnvVars: app.Env("OFFLINE")}
	return &cli.Command{
		Name: "encoders", Usage: "pretrained networks that compute features for audits",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the encoders and the paths of their weights", Action: p.listEncoders},
			{Name: "get", Usage: "fetch the weights of an encoder once, and print their path", ArgsUsage: "NAME",
				Flags: []cli.Flag{offline},
				Action: named(func(ctx context.Context, e encoders.Entry, c *cli.Context) (string, error) {
					return p.encoder(ctx, e, c.Bool("offline"))
				}, 1)},
			{Name: "add", Usage: "add downloaded files of an encoder, matched by hash, and print the path of its weights",
				ArgsUsage: "NAME FILE...",
				Action: named(func(_ context.Context, e encoders.Entry, c *cli.Context) (string, error) {
					path, err := e.Add(c.Args().Tail()...)
					if err != nil {
						return "", dataset.Errorf("%w", err)
					}
					return path, nil
				}, 2)},
		},
	}
}

// encoder returns the path of an encoder's weights, and fetches them unless offline is set.
func (p Program) encoder(ctx context.Context, e encoders.Entry, offline bool) (string, error) {
	if offline {
		path, err := e.Path()
		if err != nil {
			return "", fmt.Errorf("%w: %w; nothing is fetched offline", store.ErrUnavailable, err)
		}
		return path, nil
	}
	path, err := e.Get(ctx, p.Stderr)
	if err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return path, err
}

func (p Program) listEncoders(*cli.Context) error {
	w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tdata\tfeatures\tsize\tlicence\tsource\tfile")
	for _, e := range encoders.All {
		path, err := e.Path()
		if err != nil {
			path = "not here: losscorr encoders get " + e.Name
		}
		fmt.Fprintf(w, "%s\t%v\t%d\t%s\t%s\t%s\t%s\n", e.Name, e.Data, e.Features, e.Megabytes(), e.Licence, e.Source, path)
	}
	return w.Flush()
}
