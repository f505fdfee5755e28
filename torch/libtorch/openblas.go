package libtorch

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// openBLAS is the release of OpenBLAS that is fetched, as a Python package of 8 MB that
// holds the library alone. Its functions count in integers of 32 bits, as libtorch's do.
const openBLAS = "scipy-openblas32==0.3.34.481.3"

// CachedOpenBLAS is the library that losscorr setup --openblas puts into the user's cache,
// and whether it is there.
func CachedOpenBLAS() (path string, ok bool, err error) {
	root, err := cacheRoot()
	if err != nil {
		return "", false, err
	}
	path = openBLASIn(filepath.Join(root, "openblas"))
	return path, isFile(path), nil
}

func openBLASIn(dir string) string {
	return filepath.Join(dir, "scipy_openblas32", "lib", "libscipy_openblas.so")
}

// FetchOpenBLAS puts OpenBLAS into the user's cache with pip and returns the library. What
// is there already is not fetched again. It is for Linux.
func FetchOpenBLAS(ctx context.Context, opts FetchOptions) (path string, err error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("fetch OpenBLAS: it takes the place of libtorch's BLAS on Linux alone, and this is %s",
			runtime.GOOS)
	}
	root, err := cacheRoot()
	if err != nil {
		return "", fmt.Errorf("fetch OpenBLAS: %w", err)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("fetch OpenBLAS: %w", err)
	}
	log := opts.Log
	if log == nil {
		log = io.Discard
	}
	dir := filepath.Join(root, "openblas")
	unlock, err := lock(ctx, dir+".lock", log)
	if err != nil {
		return "", fmt.Errorf("fetch OpenBLAS: %w", err)
	}
	defer unlock()
	path = openBLASIn(dir)
	if isFile(path) {
		return path, nil
	}
	hashed, ok := withHashes([]string{openBLAS})
	if !ok || runtime.GOARCH != "amd64" {
		hashed = ""
	}
	_, _ = fmt.Fprintf(log, "fetching %s into %s (8 MB to download, 26 MB on disk)\n", openBLAS, dir)
	err = download{
		args: pipArgs(false), requirements: []string{openBLAS}, hashed: hashed, python: opts.Python, log: log,
		instead: "leave it out: libtorch has a library of its own",
		complete: func(target string) error {
			if !isFile(openBLASIn(target)) {
				return fmt.Errorf("pip brought no %s", filepath.Base(openBLASIn(target)))
			}
			return nil
		},
	}.into(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("fetch OpenBLAS: %w", err)
	}
	return path, nil
}
