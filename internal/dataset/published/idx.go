package published

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
)

// The idx format: two zero bytes, a type (8 is unsigned byte), the number of
// dimensions, then each dimension as a big-endian uint32, then the values.
// http://yann.lecun.com/exdb/mnist/
const (
	idxLabels = 0x00000801
	idxImages = 0x00000803
)

// maxValues limits the memory that a damaged header can claim: 2 GiB, forty times MNIST.
const maxValues = 1 << 31

// readIdx reads an idx file with the given magic number, packed or not, and returns its
// dimensions and values. Extra and missing bytes are errors.
func readIdx(dir folder, file string, magic uint32) (dims []int, values []byte, f dataset.File, err error) {
	content, f, err := dir.load(file)
	if err != nil {
		return nil, nil, f, err
	}
	if strings.HasSuffix(f.Path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, nil, f, fmt.Errorf("%s: %w", f.Path, archive.NotGzip(err))
		}
		if content, err = io.ReadAll(io.LimitReader(z, 2*maxValues)); err != nil {
			return nil, nil, f, fmt.Errorf("%s: %w", f.Path, archive.Damaged(err))
		}
	}
	if dims, values, err = parseIdx(content, magic); err != nil {
		return nil, nil, f, fmt.Errorf("%s: %w: %w", f.Path, err, archive.ErrDamaged)
	}
	return dims, values, f, nil
}

func parseIdx(content []byte, magic uint32) (dims []int, values []byte, err error) {
	header, total := 4*(1+int(magic&0xff)), uint64(1)
	if len(content) < header || binary.BigEndian.Uint32(content) != magic {
		return nil, nil, fmt.Errorf("it does not begin as an idx file of %s", map[uint32]string{idxLabels: "labels",
			idxImages: "images"}[magic])
	}
	for at := 4; at < header; at += 4 {
		n := binary.BigEndian.Uint32(content[at:])
		if total *= uint64(n); n == 0 || total > maxValues {
			return nil, nil, fmt.Errorf("its header has the impossible dimension %d", n)
		}
		dims = append(dims, int(n))
	}
	values = content[header:]
	if uint64(len(values)) != total {
		return nil, nil, fmt.Errorf("it has %d values, and %d by its header", len(values), total)
	}
	return dims, values, nil
}

// folder holds files of a data set, on disk or inside the program.
type folder struct {
	fs   fs.FS
	name string // for people
}

func (d folder) path(file string) string { return filepath.Join(d.name, file) }

// load reads a whole file, packed or not, and returns it as stored with its path and hash.
func (d folder) load(file string) ([]byte, dataset.File, error) {
	names := []string{file + ".gz", file}
	at := slices.IndexFunc(names, func(name string) bool {
		info, err := fs.Stat(d.fs, name)
		return err == nil && !info.IsDir()
	})
	if at < 0 {
		return nil, dataset.File{}, fmt.Errorf("%s: %w (with or without .gz), though other files of the set exist: %w",
			d.path(file+".gz"), os.ErrNotExist, errIncomplete)
	}
	path := d.path(names[at])
	raw, err := fs.ReadFile(d.fs, names[at])
	if err != nil {
		return nil, dataset.File{}, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) == 0 {
		return nil, dataset.File{}, fmt.Errorf("%s: empty file, perhaps from a failed download: %w", path, archive.ErrDamaged)
	}
	return raw, dataset.FileOf(path, raw), nil
}

// errIncomplete is the error for a missing file when other files of the set exist; Open
// adds where it is available.
var errIncomplete = errors.New("the download is incomplete")
