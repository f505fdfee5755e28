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

// ErrSeveral says that a folder has runs of different data or networks, or of different corrected losses.
var ErrSeveral = errors.New("several networks may be meant")

// Network returns the file of a network's weights: the one that is named, that of the finished
// run in a folder, or of several runs in it, such as those of train or of an audit; of these it
// returns the run too. Of several that have not diverged, a run with a corrected loss or corrected labels comes before
// others, then the one with the lowest validation loss. It is ErrSeveral if they are not of one kind, or if those that
// come first have different losses, whose values cannot be compared.
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
		return "", nil, fmt.Errorf("no finished run in %s that has a network", root)
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

// networksIn returns the runs below a folder that have a network, of an audit's folder those that its
// summary names, and where they lie.
func networksIn(name string) (root string, runs []*report.Run, err error) {
	root = name
	var of []string // the networks of the audit in the folder
	if _, err := os.Stat(filepath.Join(name, audit.RunsDir)); !errors.Is(err, fs.ErrNotExist) {
		root = filepath.Join(name, audit.RunsDir)
		summary, err := audit.At(name).Summary()
		if _, none := os.Stat(filepath.Join(name, audit.SummaryFile)); err != nil && !errors.Is(none, fs.ErrNotExist) {
			return "", nil, err
		}
		of = summary.Runs // none where no audit has ended
	}
	study, err := report.Load(root)
	if err != nil {
		return "", nil, err
	}
	return root, slices.DeleteFunc(study.Finished(), func(r *report.Run) bool {
		return r.State == store.Diverged || of != nil && !slices.Contains(of, r.ID)
	}), nil
}
