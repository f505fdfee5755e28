package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/pipeline"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/urfave/cli/v2"
)

func (p Program) predictCommand() *cli.Command {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "DATA", EnvVars: env(strings.ToUpper(name))}
	}
	return &cli.Command{
		Name: "predict", Usage: "classes and probabilities of new examples by a trained network", ArgsUsage: "RUN DATA|IMAGES...", OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write: .csv, .npy (probabilities [N C]) or .parquet", DefaultText: "CSV to standard output", EnvVars: env("OUT")},
			&cli.StringFlag{Name: "device", Value: "cpu", Usage: "cpu, cuda or cuda:N", EnvVars: env("DEVICE")},
			&cli.IntFlag{Name: "max-bad", Usage: "images that may be left out because they do not decode", EnvVars: env("MAX_BAD")},
			&cli.BoolFlag{Name: "quiet", Usage: "show no progress", EnvVars: env("QUIET")},
			text("id", "`COLUMN` of the names of the examples (default: as in training)"),
			text("text", "`COLUMN` of the texts (default: as in training)"),
			text("features", "`COLUMNS` of numbers, as a,b,c or first-last (default: as in training)"),
		},
		Action: p.predict,
	}
}

// predict writes the classes of new examples.
func (p Program) predict(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) < 2 {
		return usage(helpName(c), "want the folder of a RUN, and new examples: a folder or archive of images, a table, an NPY file, or files of images")
	}
	write, err := predictionWriter(c.String("out"))
	if err != nil {
		return usage(helpName(c), "%v", err)
	}
	folder, result, err := p.chooseRun(c, args[0])
	if err != nil {
		return err
	}
	form, err := pipeline.FormOf(folder)
	if err != nil {
		return err
	}
	opt := dataset.Options{Offline: true, MaxBad: c.Int("max-bad"), Progress: p.reading(c)}
	examples, skipped, err := dataset.OpenNew(c.Context, newSource(c, result.Config.Source), args[1:], form, opt)
	if err != nil {
		if c.Context.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %w", store.ErrData, err)
	}
	for _, bad := range skipped {
		fmt.Fprintf(p.Stderr, "left out: %s\n", humanize.Visible(fmt.Sprint(bad)))
	}
	if _, _, err := p.Open(c.String("device")); err != nil {
		return err
	}
	device, err := torch.ParseDevice(c.String("device"))
	if err != nil {
		return usage(helpName(c), "%v", err)
	}
	logits, err := pipeline.Predict(folder, examples, device)
	if err != nil {
		return err
	}
	classes := result.Transition.Classes
	return write(raw(p.Stdout), predictions{ids: examples.IDs, classes: classes, p: correction.Softmax(logits, len(classes))})
}

// newSource is the source of a run with the columns that the flags name.
func newSource(c *cli.Context, trained dataset.Source) dataset.Source {
	s := dataset.Source{ID: cmp.Or(c.String("id"), trained.ID), Text: cmp.Or(c.String("text"), trained.Text), Features: trained.Features}
	if names := c.String("features"); names != "" {
		s.Features = strings.Split(names, ",")
	}
	return s
}

// chooseRun returns the finished run in a folder: of the run itself, or of several runs,
// such as those of train or of an audit. Of several, a run with a corrected loss comes
// before others, then the one with the lowest validation loss. It says which one it is.
func (p Program) chooseRun(c *cli.Context, dir string) (*store.Folder, store.Result, error) {
	folder := store.AtPath(dir)
	result, err := folder.Result()
	if err == nil {
		return folder, result, nil
	}
	if _, none := os.Stat(folder.Path(store.ConfigFile)); none == nil {
		return nil, result, fmt.Errorf("%w: %w: finish it first (losscorr train)", store.ErrData, err)
	}
	if _, none := os.Stat(dir); none != nil {
		return nil, result, fmt.Errorf("%w: the folder of the run: %w", store.ErrData, none)
	}
	root := dir
	if _, err := os.Stat(filepath.Join(dir, audit.RunsDir)); !errors.Is(err, fs.ErrNotExist) {
		root = filepath.Join(dir, audit.RunsDir)
	}
	study, err := report.Load(root)
	if err != nil {
		return nil, result, fmt.Errorf("%w: %w", store.ErrData, err)
	}
	runs := study.Finished()
	if len(runs) == 0 {
		return nil, result, fmt.Errorf("%w: no finished run in %s", store.ErrData, root)
	}
	plain := func(r *report.Run) int {
		if r.Result.Config.LossEntry().T == correction.NoT {
			return 1
		}
		return 0
	}
	best := slices.MinFunc(runs, func(a, b *report.Run) int {
		return cmp.Or(cmp.Compare(plain(a), plain(b)), cmp.Compare(a.Result.Selected.ValLoss, b.Result.Selected.ValLoss), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range runs {
		a, b := r.Result.Config, best.Result.Config
		if a.Dataset != b.Dataset || a.Source.Path != b.Source.Path || a.Network() != b.Network() {
			return nil, result, usage(helpName(c), "the runs in %s are of different data or networks: name one of them, such as %s", root, best.Dir)
		}
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(p.Stderr, "network: %s, %s\n", best.Dir, best.Result.Config.Name())
	}
	return store.AtPath(best.Dir), *best.Result, nil
}
