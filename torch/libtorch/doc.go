// Package libtorch finds libtorch or fetches it, compiles the shim for it, and
// finds that shim again. It makes no tensor and uses no cgo: package torch opens
// what Locate returns.
//
// Three nouns:
//
//   - An Install is a libtorch on this machine: a folder with include and lib,
//     unpacked from an archive or from Python's torch package.
//   - The shim is liblosscorr_shim.so, the C ABI of cgo/api.h over libtorch. It is
//     compiled for one Install and loads from there, so no environment variable
//     is needed. liblosscorr_cuda.so beside it serves CUDA devices.
//   - A Sidecar is the text file beside a shim that tells what it was built from,
//     so that a shim for another libtorch, or from other sources, is refused in
//     words before it is opened.
//
// What losscorr setup does:
//
//	in, err := libtorch.Find(libtorch.FindOptions{})
//	if err != nil {
//		dir, _ := libtorch.CachedInstallDir()
//		in, err = libtorch.Fetch(ctx, dir, libtorch.FetchOptions{Log: os.Stderr})
//	}
//	dest, err := libtorch.CacheDir(in, losscorr.Sources)
//	err = libtorch.Build(ctx, losscorr.Sources, in, dest, os.Stderr)
//	shim, err := libtorch.Locate(losscorr.Sources)
//
// Supported are the releases from Oldest on; versions.txt pins those that are
// fetched by name, and what has to lie beside them.
package libtorch
