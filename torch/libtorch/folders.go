package libtorch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// cacheRoot returns the folder of files that losscorr keeps between runs.
func cacheRoot() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w: set HOME or XDG_CACHE_HOME", err)
	}
	return filepath.Join(dir, "losscorr"), nil
}

// CachedInstallDir returns the folder where losscorr setup installs a fetched libtorch.
func CachedInstallDir() (string, error) {
	root, err := cacheRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "libtorch"), nil
}

// CacheDir returns the folder where losscorr setup installs the shim compiled from sources for in: a folder of the
// user's cache named after the release of libtorch and the hash of the sources.
func CacheDir(in Install, sources fs.FS) (string, error) {
	root, err := cacheRoot()
	if err != nil {
		return "", err
	}
	hash, err := SourceHash(sources)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "shim", in.Version+"-"+hash[:12]), nil
}

// buildDirs lists the build folders of this project: ./build, and build at the
// root of the module that holds the current folder, where go test runs.
func buildDirs() []string {
	wd, err := os.Getwd()
	if err != nil {
		return nil
	}
	dirs := []string{filepath.Join(wd, "build")}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if isFile(filepath.Join(dir, "go.mod")) {
			if dir != wd {
				dirs = append(dirs, filepath.Join(dir, "build"))
			}
			return dirs
		}
		if dir == filepath.Dir(dir) {
			return dirs
		}
	}
}
