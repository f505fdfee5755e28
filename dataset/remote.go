package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/dataset/internal/download"
)

// The sizes and hashes of the archives are those that TensorFlow Datasets
// publishes for these addresses (url_checksums of its repository). The authors
// give MD5 sums: for CIFAR-10 c32a1d4ab5d03f1284b67883e8d87530, for CIFAR-100
// 03b5dce01913d631647c71ecec9e9cb8, on https://www.cs.toronto.edu/~kriz/cifar.html.
var (
	remoteCIFAR10 = download.File{
		Addresses: []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
		Size:      170052171,
		SHA256:    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
	}
	remoteCIFAR100 = download.File{
		Addresses: []string{"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"},
		Size:      168513733,
		SHA256:    "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
	}
	remoteIMDB = download.File{
		Addresses: []string{"https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"},
		Size:      84125825,
		SHA256:    "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
	}
)

// download fetches the data set if that is possible and allowed. The error says
// where it was searched and how to get it.
func (f format) download(ctx context.Context, searched []string, opt Options) (*Dataset, error) {
	places := fmt.Sprintf("looked in %s, and in a folder %q of each", strings.Join(searched, ", "), f.folder)
	switch {
	case len(f.remote.Addresses) == 0:
	case !opt.offline():
		return f.fetch(ctx, places, opt)
	default:
		places += ", and downloads are switched off"
	}
	return nil, fmt.Errorf("%w; %s: get %s from %s and put them into one of these folders, or name theirs with --data",
		ErrNotFound, places, strings.Join(f.files, ", "), f.source)
}

// fetch downloads into the cache folder and reads there.
func (f format) fetch(ctx context.Context, places string, opt Options) (*Dataset, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, fmt.Errorf("%w; %s, and there is no folder to download into: %w", ErrNotFound, places, err)
	}
	path := filepath.Join(cache, f.folder, f.files[0])
	var how download.Options
	if opt.Progress != nil {
		how.Progress = func(done, total int64) {
			opt.Progress("downloading "+f.files[0]+" (bytes)", int(done), int(total))
		}
	}
	if err := f.remote.Fetch(ctx, path, how); err != nil {
		if ctx.Err() != nil { // which is no reason to look for the set elsewhere
			return nil, err
		}
		return nil, fmt.Errorf("%w; %s, and %w", ErrNotFound, places, err)
	}
	d, _, err := f.find(opt)
	if err == nil && d == nil {
		err = fmt.Errorf("%s, just downloaded, is gone", path)
	}
	return d, err
}

// offline reports whether downloads are off. A value of $LOSSCORR_OFFLINE that is
// no truth value switches them off.
func (o Options) offline() bool {
	env := os.Getenv("LOSSCORR_OFFLINE")
	on, err := strconv.ParseBool(env)
	return o.Offline || env != "" && (on || err != nil)
}
