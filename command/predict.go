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

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/pipeline"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

func (p Program) predictCommand() *cli.Command {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "DATA", EnvVars: env(strings.ToUpper(name))}
	}
	return &cli.Command{
		Name: "predict", Usage: "classes and probabilities of new examples by a trained network", ArgsUsage: "RUN|FILE.safetensors DATA|IMAGES...", OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FILE` to write: .csv, .npy (probabilities [N C]) or .parquet", DefaultText: "CSV to standard output", EnvVars: env("OUT")},
			&cli.StringFlag{Name: "device", Value: "cpu", Usage: "cpu, cuda or cuda:N", EnvVars: env("DEVICE")},
			maxBadFlag(),
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
		return usage(helpName(c), "want the folder of a RUN or its best.safetensors, and new examples: a folder or archive of images, a table, an NPY file, or files of images")
	}
	write, err := predictionWriter(c.String("out"))
	if err == nil {
		err = writable(c.String("out"))
	}
	if err != nil {
		return usage(helpName(c), "%v", err)
	}
	weights, err := p.chooseWeights(c, args[0])
	if err != nil {
		return err
	}
	if err := overwrites(c.String("out"), append(args[1:], weights)...); err != nil {
		return usage(helpName(c), "%v", err)
	}
	network, err := pipeline.OpenNetwork(weights)
	if err != nil {
		return err
	}
	opt := dataset.Options{Offline: true, MaxBad: c.Int("max-bad"), Progress: p.reading(c)}
	examples, skipped, err := own.OpenNew(c.Context, newSource(c, network), args[1:], network.Form(), opt)
	if err != nil {
		if c.Context.Err() != nil {
			return err
		}
		return dataset.Errorf("%w", err)
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
	logits, err := network.Predict(c.Context, examples, device, opt.Progress)
	if err != nil {
		return err
	}
	classes := network.Input.Classes
	return write(raw(p.Stdout), predictions{ids: examples.IDs, classes: classes, p: correction.Softmax(logits, len(classes))})
}

// newSource is the source of a network with the columns that the flags name. Without them
// features have the columns that they had in training, which lie elsewhere in other tables.
func newSource(c *cli.Context, n *pipeline.Network) own.Source {
	trained := n.Config.Source
	s := own.Source{ID: cmp.Or(c.String("id"), trained.ID), Text: cmp.Or(c.String("text"), trained.Text), Features: n.Input.Columns}
	if names := c.String("features"); names != "" {
		s.Features = strings.Split(names, ",")
	}
	return s
}

// chooseWeights returns the file of a network: the one that is named, that of the finished
// run in a folder, or of several runs in it, such as those of train or of an audit. Of several
// that have not diverged, a run with a corrected loss comes before others, then the one with the
// lowest validation loss. It says which one it is.
func (p Program) chooseWeights(c *cli.Context, name string) (string, error) {
	if info, err := os.Stat(name); err != nil {
		return "", dataset.Errorf("the network: %w", err)
	} else if !info.IsDir() {
		return name, nil
	}
	folder := store.AtPath(name)
	result, err := folder.Result()
	if err == nil && result.State == store.Diverged {
		return "", dataset.Errorf("the run in %s diverged and has no network: try a lower optimizer.learning_rate", name)
	}
	if err == nil {
		return folder.Path(store.CheckpointsDir, training.BestFile), nil
	}
	if _, none := os.Stat(folder.Path(store.ConfigFile)); none == nil {
		return "", dataset.Errorf("%w: finish it first (losscorr train)", err)
	}
	root := name
	var of []string // the networks of the audit in the folder
	if _, err := os.Stat(filepath.Join(name, audit.RunsDir)); !errors.Is(err, fs.ErrNotExist) {
		root = filepath.Join(name, audit.RunsDir)
		summary, err := audit.At(name).Summary()
		if _, none := os.Stat(filepath.Join(name, audit.SummaryFile)); err != nil && !errors.Is(none, fs.ErrNotExist) {
			return "", err
		}
		of = summary.Runs // none where no audit has ended
	}
	study, err := report.Load(root)
	if err != nil {
		return "", dataset.Errorf("%w", err)
	}
	runs := slices.DeleteFunc(study.Finished(), func(r *report.Run) bool {
		return r.State == store.Diverged || of != nil && !slices.Contains(of, r.ID)
	})
	if len(runs) == 0 {
		return "", dataset.Errorf("no finished run in %s that has a network", root)
	}
	plain := func(r *report.Run) int {
		if r.Result.Config.LossEntry().T == losses.NoT {
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
			return "", usage(helpName(c), "the runs in %s are of different data or networks: name one of them, such as %s", root, best.Dir)
		}
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(p.Stderr, "network: %s, %s\n", best.Dir, best.Result.Config.Name())
	}
	return filepath.Join(best.Dir, store.CheckpointsDir, training.BestFile), nil
}
