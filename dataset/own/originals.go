package own

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/dataset/archive"
	"github.com/losscorr/losscorr/dataset/picture"
)

// eachImage calls found with the value of each name in wanted and the content of that file.
// It leaves out those that are missing. A .tar.gz is read from its beginning at each call, so that
// one call should ask for many images.
func eachImage(ctx context.Context, path string, wanted map[string][]int, found func(places []int, raw []byte) error) error {
	container, err := archive.Open(path)
	if err != nil {
		return err
	}
	if container.IsFolder() {
		files := picture.Files{Root: path}
		for name, places := range wanted {
			if err := ctx.Err(); err != nil {
				return err
			}
			var raw bytes.Buffer
			problem, err := files.Load(name, &raw)
			if err == nil && problem == nil {
				err = found(places, raw.Bytes())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = container.Walk(func(m archive.Member) error {
		places, ok := wanted[m.Name]
		switch {
		case len(wanted) == 0:
			return fs.SkipAll
		case !ok:
			return ctx.Err()
		}
		delete(wanted, m.Name)
		raw, err := m.Read()
		if err != nil {
			return err
		}
		return found(places, raw)
	})
	if errors.Is(err, fs.SkipAll) {
		err = nil
	}
	return err
}
