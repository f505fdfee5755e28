package published

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// download downloads the data set if possible and allowed. The error lists the searched
// places, and how to get the files.
func (e Entry) download(ctx context.Context, searched []string, opt dataset.Options) (*dataset.Dataset, error) {
	places := fmt.Sprintf("looked in %s, and in the subfolder %q of each", strings.Join(searched, ", "), e.folder)
	switch {
	case e.remote.Address == "":
	case !offline(opt):
		return e.fetch(ctx, places, opt)
	default:
		places += ", and downloads are switched off"
	}
	return nil, fmt.Errorf("%w; %s: get %s from %s and put them into one of these folders, or name their folder with "+
		"--data", ErrNotFound, places, strings.Join(e.files, ", "), e.source)
}

// fetch downloads into the cache folder and reads from there.
func (e Entry) fetch(ctx context.Context, places string, opt dataset.Options) (*dataset.Dataset, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, fmt.Errorf("%w; %s, and there is no folder to download into: %w", ErrNotFound, places, err)
	}
	path := filepath.Join(cache, e.folder, e.files[0])
	progress := func(done, total int64) {
		if opt.Progress != nil {
			opt.Progress("downloading "+e.files[0]+" (bytes)", int(done), int(total))
		}
	}
	if err := e.remote.Fetch(ctx, path, progress); err != nil {
		if ctx.Err() != nil { // not an ErrNotFound
			return nil, err
		}
		return nil, fmt.Errorf("%w; %s, and %w", ErrNotFound, places, err)
	}
	d, _, err := e.find(opt)
	if err == nil && d == nil {
		err = fmt.Errorf("%s was downloaded, but has vanished", path)
	}
	return d, err
}

// offline reports whether downloads are disabled. Any value of $LOSSCORR_OFFLINE that is
// not a boolean disables them.
func offline(o dataset.Options) bool {
	env := os.Getenv("LOSSCORR_OFFLINE")
	on, err := strconv.ParseBool(env)
	return o.Offline || env != "" && (on || err != nil)
}
