// Package libtorch finds or fetches libtorch, compiles the shim for it, and locates that shim. It makes no tensors
// and uses no cgo: package torch opens the result of Locate.
//
// Three nouns:
//
//   - An Install is a libtorch on this machine: a folder with include and lib,
//     unpacked from an archive or from Python's torch package.
//   - The shim is liblosscorr_shim.so, the C ABI of cgo/api.h over libtorch. It is
//     compiled for one Install and loads from there, so no environment variable
//     is needed. liblosscorr_cuda.so beside it serves CUDA devices.
//   - A Sidecar is the text file beside a shim that records what it was built from,
//     so that a shim for another libtorch, or from other sources, is refused with
//     a reason before it is opened.
//
// losscorr setup does this:
//
//	in, err := libtorch.Find()
//	if err != nil {
//		dir, _ := libtorch.CachedInstallDir()
//		in, err = libtorch.Fetch(ctx, dir, libtorch.FetchOptions{Log: os.Stderr})
//	}
//	dest, err := libtorch.CacheDir(in, losscorr.Sources)
//	err = libtorch.Build(ctx, losscorr.Sources, in, dest, os.Stderr)
//	shim, err := libtorch.Locate(losscorr.Sources)
//
// Releases from Oldest on are supported. versions.txt pins the releases that can be fetched by name and the packages
// that they need.
package libtorch
