package command

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/torch"
)

func (p Program) predictCommand() *cli.Command {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "DATA"}
	}
	return &cli.Command{
		Name: "predict", Usage: "predict classes and probabilities of new examples with a trained network",
		ArgsUsage: "RUN|FILE.safetensors DATA|IMAGES...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write: .csv, .npy (probabilities [N C]) or .parquet",
				DefaultText: "CSV to standard output"},
			&cli.StringFlag{Name: "device", Value: "cpu", Usage: "cpu, cuda or cuda:N", EnvVars: app.Env("DEVICE")},
			app.MaxBadFlag(),
			&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
			text("id", "`COLUMN` with the names of the examples (default: as in training)"),
			text("text", "`COLUMN` with the texts (default: as in training)"),
			text("features", "`COLUMNS` of numbers, as a,b,c or first-last (default: as in training)"),
		},
		Action: p.predict,
	}
}

// predict writes the classes of new examples.
func (p Program) predict(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) < 2 {
		return app.Misuse(c, "name the folder of a RUN or its best.safetensors, and new examples: a folder or archive of "+
			"images, a table, an NPY file, or image files")
	}
	out := c.String("out")
	if !slices.Contains(predictionEndings, strings.ToLower(filepath.Ext(out))) && out != "" {
		return app.Misuse(c, "--out %s: choose a name that ends in .csv, .npy or .parquet", out)
	}
	if err := app.Writable(out); err != nil {
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
	if err := files.Overwrites(out, append(args[1:], weights)...); err != nil {
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
	all := predictions{ids: examples.IDs, classes: classes, p: correction.Softmax(logits, len(classes))}
	return all.write(out, app.Raw(p.Stdout))
}

// newSource returns the source of a network's training data with the columns from the flags. Without them it names
// the columns of the training features, which may have other positions in a new table.
func newSource(c *cli.Context, n *run.Network) own.Source {
	trained := n.Config.Source
	s := own.Source{ID: cmp.Or(c.String("id"), trained.ID), Text: cmp.Or(c.String("text"), trained.Text),
		Features: n.Input.Columns}
	if names := c.String("features"); names != "" {
		s.Features = strings.Split(names, ",")
	}
	return s
}

// predictions are the probabilities [N C] of examples.
type predictions struct {
	ids, classes []string
	p            []float32
}

var predictionEndings = []string{".csv", ".npy", ".parquet"}

// write writes predictions to a file in the format of its ending, or as CSV to stdout if path is empty.
func (all predictions) write(path string, stdout io.Writer) error {
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case path == "":
		return all.csv(stdout)
	case ending == ".csv":
		return app.WriteFile(path, all.csv)
	case ending == ".parquet":
		return app.WriteFile(path, all.parquet)
	}
	return npy.WriteFloat32(path, all.p, len(all.classes))
}

// csv writes the name, the class, and the probability of each class.
func (all predictions) csv(w io.Writer) error {
	header := []string{"id", "class"}
	for _, class := range all.classes {
		header = append(header, rows.Cell(class))
	}
	c, lines := len(all.classes), [][]string{header}
	for k, y := range correction.Classes(all.p, c) {
		line := []string{rows.Cell(all.ids[k]), rows.Cell(all.classes[y])}
		for _, v := range all.p[k*c : (k+1)*c] {
			line = append(line, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// parquet writes the columns of csv, sorted by name.
func (all predictions) parquet(w io.Writer) error {
	columns := parquet.Group{"id": parquet.String(), "class": parquet.String()}
	for _, class := range all.classes {
		if columns[class] != nil {
			return fmt.Errorf("the class %q has the name of another column; write .csv or .npy instead", class)
		}
		columns[class] = parquet.Leaf(parquet.FloatType)
	}
	out := parquet.NewWriter(w, parquet.NewSchema("predictions", columns), parquet.Compression(&parquet.Zstd))
	c := len(all.classes)
	for k, y := range correction.Classes(all.p, c) {
		row := map[string]any{"id": all.ids[k], "class": all.classes[y]}
		for i, v := range all.p[k*c : (k+1)*c] {
			row[all.classes[i]] = v
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write parquet: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write parquet: %w", err)
	}
	return nil
}
