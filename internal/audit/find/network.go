package find

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
)

// ErrSeveral means that a folder has runs of different data, networks or corrected losses.
var ErrSeveral = errors.New("more than one network fits")

// Network returns the file of a network's weights. name is that file, the folder of a finished run, or a folder of
// several runs, such as of train or of an audit. Among several runs it chooses one that has not diverged, first by a
// corrected loss or corrected labels, then by the lowest validation loss, and returns the run as well. The error is
// ErrSeveral if the runs differ in data or network, or if the first ones have different losses, which cannot be
// compared.
func Network(name string) (weights string, chosen *report.Run, err error) {
	if info, err := os.Stat(name); err != nil {
		return "", nil, fmt.Errorf("the network: %w", err)
	} else if !info.IsDir() {
		return name, nil, nil
	}
	folder := store.AtPath(name)
	result, err := folder.Result()
	switch _, none := os.Stat(folder.Path(store.ConfigFile)); {
	case err == nil && result.State == store.Diverged:
		return "", nil, fmt.Errorf("the run in %s diverged and has no network: try a lower optimizer.learning_rate", name)
	case err == nil:
		return folder.Path(store.CheckpointsDir, train.BestFile), nil, nil
	case none == nil:
		return "", nil, fmt.Errorf("%w: finish it first (losscorr train)", err)
	}
	root, runs, err := networksIn(name)
	if err != nil {
		return "", nil, err
	}
	if len(runs) == 0 {
		return "", nil, fmt.Errorf("no finished run with a network in %s", root)
	}
	plain := func(r *report.Run) int {
		if r.Result.Config.LossEntry().T == losses.NoT && r.Result.Config.Corrected == "" {
			return 1
		}
		return 0
	}
	best := slices.MinFunc(runs, func(a, b *report.Run) int {
		return cmp.Or(cmp.Compare(plain(a), plain(b)), cmp.Compare(a.Result.Selected.ValLoss, b.Result.Selected.ValLoss),
			cmp.Compare(a.ID, b.ID))
	})
	for _, r := range runs {
		switch a, b := r.Result.Config, best.Result.Config; {
		case a.Dataset != b.Dataset || a.Source.Path != b.Source.Path || a.Network() != b.Network():
			return "", nil, fmt.Errorf("%s: %w: the runs are of different data or networks; name one of them, such as %s", root,
				ErrSeveral, best.Dir)
		case plain(r) == plain(best) && a.Loss != b.Loss:
			return "", nil, fmt.Errorf("%s: %w: the runs have different losses, %s and %s, whose validation losses cannot be "+
				"compared; name one of them, such as %s", root, ErrSeveral, b.Loss, a.Loss, best.Dir)
		}
	}
	return filepath.Join(best.Dir, store.CheckpointsDir, train.BestFile), best, nil
}

// networksIn returns the runs below a folder that have a network, and the root of these runs. In an audit's folder it
// takes the runs that the summary names.
func networksIn(name string) (root string, runs []*report.Run, err error) {
	root = name
	var of []string // the networks of the audit in the folder
	if _, err := os.Stat(filepath.Join(name, audit.RunsDir)); !errors.Is(err, fs.ErrNotExist) {
		root = filepath.Join(name, audit.RunsDir)
		summary, err := audit.At(name).Summary()
		if _, none := os.Stat(filepath.Join(name, audit.SummaryFile)); err != nil && !errors.Is(none, fs.ErrNotExist) {
			return "", nil, err
		}
		of = summary.Runs // empty before the audit has ended
	}
	study, err := report.Load(root)
	if err != nil {
		return "", nil, err
	}
	return root, slices.DeleteFunc(study.Finished(), func(r *report.Run) bool {
		return r.State == store.Diverged || of != nil && !slices.Contains(of, r.ID)
	}), nil
}
