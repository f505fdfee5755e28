package runs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

// loadPlan reads the plan that a path names, its file or its folder. The plan of a folder
// without one is that of the runs that lie there, as losscorr train and the experiments
// leave them.
func loadPlan(path string) (store.PlanFile, error) {
	file, err := store.LoadPlan(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	entries, unread := os.ReadDir(path)
	if unread != nil {
		return file, err
	}
	var configs []config.Config
	for _, e := range entries {
		folder := store.AtPath(filepath.Join(path, e.Name()))
		// A folder of another name than its run's ID was moved, or a file that it
		// names has changed: losscorr would do its run elsewhere.
		if c, err := folder.Config(); err == nil && c.ID() == e.Name() {
			configs = append(configs, c)
		}
	}
	if configs == nil {
		return file, err
	}
	return store.Freeze(store.NewPlan(configs), losscorr.Version, nil, nil), nil
}
