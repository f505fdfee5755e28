package labels

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/torch"
)

func (p Commands) predictCommand() *cli.Command {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "DATA"}
	}
	return &cli.Command{
		Name: "predict", Usage: "classes and probabilities of new examples by a trained network",
		ArgsUsage: "RUN|FILE.safetensors DATA|IMAGES...", OnUsageError: app.OnUsageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write: .csv, .npy (probabilities [N C]) or .parquet",
				DefaultText: "CSV to standard output"},
			&cli.StringFlag{Name: "device", Value: "cpu", Usage: "cpu, cuda or cuda:N", EnvVars: app.Env("DEVICE")},
			app.MaxBadFlag(),
			&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
			text("id", "`COLUMN` of the names of the examples (default: as in training)"),
			text("text", "`COLUMN` of the texts (default: as in training)"),
			text("features", "`COLUMNS` of numbers, as a,b,c or first-last (default: as in training)"),
		},
		Action: p.predict,
	}
}

// predict writes the classes of new examples.
func (p Commands) predict(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) < 2 {
		return app.Misuse(c, "want the folder of a RUN or its best.safetensors, and new examples: a folder or archive of "+
			"images, a table, an NPY file, or files of images")
	}
	write, err := predictionWriter(c.String("out"))
	if err == nil {
		err = app.Writable(c.String("out"))
	}
	if err != nil {
		return app.Misuse(c, "%v", err)
	}
	weights, found, err := find.Network(args[0])
	if errors.Is(err, find.ErrSeveral) {
		return app.Misuse(c, "%v", err)
	}
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	if found != nil && !c.Bool("quiet") {
		fmt.Fprintf(p.Stderr, "network: %s, %s\n", found.Dir, found.Result.Config.Name())
	}
	if err := app.Overwrites(c.String("out"), append(args[1:], weights)...); err != nil {
		return app.Misuse(c, "%v", err)
	}
	network, err := run.OpenNetwork(weights)
	if err != nil {
		return err
	}
	opt := dataset.Options{Offline: true, MaxBad: c.Int("max-bad"), Progress: p.Reading(c)}
	examples, warnings, err := own.OpenNew(c.Context, newSource(c, network), args[1:], network.Form(), opt)
	if err != nil {
		if c.Context.Err() != nil {
			return err
		}
		return dataset.Errorf("%w", err)
	}
	for _, warning := range warnings {
		fmt.Fprintf(p.Stderr, "check: %s\n", humanize.Visible(warning))
	}
	if _, _, err := p.Open(c.String("device")); err != nil {
		return err
	}
	device, err := torch.ParseDevice(c.String("device"))
	if err != nil {
		return app.Misuse(c, "%v", err)
	}
	logits, err := network.Predict(c.Context, examples, device, opt.Progress)
	if err != nil {
		return err
	}
	classes := network.Input.Classes
	return write(app.Raw(p.Stdout), predictions{ids: examples.IDs, classes: classes,
		p: correction.Softmax(logits, len(classes))})
}

// newSource is the source of a network with the columns that the flags name. Without them
// features have the columns that they had in training, which lie elsewhere in other tables.
func newSource(c *cli.Context, n *run.Network) own.Source {
	trained := n.Config.Source
	s := own.Source{ID: cmp.Or(c.String("id"), trained.ID), Text: cmp.Or(c.String("text"), trained.Text),
		Features: n.Input.Columns}
	if names := c.String("features"); names != "" {
		s.Features = strings.Split(names, ",")
	}
	return s
}
