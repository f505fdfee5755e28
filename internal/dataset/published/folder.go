package published

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// folder holds files of a data set, on disk or inside the program.
type folder struct {
	fs   fs.FS
	name string // for people
}

func (d folder) path(file string) string { return filepath.Join(d.name, file) }

// existing returns the name of a file in the folder, packed or not, or "".
func (d folder) existing(file string) string {
	for _, name := range []string{file + ".gz", file} {
		if info, err := fs.Stat(d.fs, name); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

// load reads a whole file, packed or not, and returns it as stored with its path and hash.
func (d folder) load(file string) ([]byte, dataset.File, error) {
	name := d.existing(file)
	if name == "" {
		return nil, dataset.File{}, fmt.Errorf("%s: %w (with or without .gz), though other files of the set exist: %w",
			d.path(file+".gz"), os.ErrNotExist, errIncomplete)
	}
	path := d.path(name)
	raw, err := fs.ReadFile(d.fs, name)
	if err != nil {
		return nil, dataset.File{}, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) == 0 {
		return nil, dataset.File{}, fmt.Errorf("%s: empty file, perhaps from a failed download: %w", path,
			archive.ErrDamaged)
	}
	return raw, dataset.FileOf(path, raw), nil
}

// errIncomplete is the error for a missing file when other files of the set exist; Open
// adds where it is available.
var errIncomplete = errors.New("the download is incomplete")
