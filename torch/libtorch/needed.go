package libtorch

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkNeeded returns an error if the CUDA runtime that libtorch_cpu.so is linked with is missing from its rpath, as
// after pip install --no-deps torch. Without it not even CPU tensors work.
func checkNeeded(root string) error {
	lib := filepath.Join(root, "lib", sharedLibrary("torch_cpu"))
	name, err := missing(lib, func(name string) bool { return cudaPackage(name) != "" })
	if err != nil || name == "" {
		return err
	}
	pkg := cudaPackage(name)
	return fmt.Errorf("libtorch in %s does not load: %s needs %s, which is not beside it: install the package %s there "+
		"(pip install %s)", root, filepath.Base(lib), name, pkg, pkg)
}

// cudaMissing returns the first NVIDIA library that lib is linked with but that cannot be found, or "".
func cudaMissing(lib string) (string, error) {
	return missing(lib, func(name string) bool {
		return strings.HasPrefix(name, "libcu") || strings.HasPrefix(name, "libnccl")
	})
}

// missing returns the first of certain libraries that lib is linked with but that cannot be found, or "". Libraries
// that are not ELF files pass; the linker checks them.
func missing(lib string, certain func(name string) bool) (string, error) {
	f, err := elf.Open(lib)
	if err != nil {
		return "", nil
	}
	defer func() { _ = f.Close() }()
	needed, err := f.ImportedLibraries()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", lib, err)
	}
	for _, name := range needed {
		if certain(name) && !loadable(f, filepath.Dir(lib), name) {
			return name, nil
		}
	}
	return "", nil
}

// cudaPackage returns the Python package of a CUDA library, or "" for a system library.
func cudaPackage(soname string) string {
	stem, major, _ := strings.Cut(soname, ".so.")
	suffix := ""
	if major == "11" || major == "12" {
		suffix = "-cu" + major
	}
	switch stem {
	case "libcudart":
		return "nvidia-cuda-runtime" + suffix
	case "libcupti":
		return "nvidia-cuda-cupti" + suffix
	}
	return ""
}

// loadable looks for name in the rpath of f, in LD_LIBRARY_PATH and in the usual
// places of a machine-wide CUDA toolkit.
func loadable(f *elf.File, origin, name string) bool {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		paths, err := f.DynString(tag)
		if err != nil {
			continue
		}
		for _, p := range paths {
			dirs = append(dirs, filepath.SplitList(strings.ReplaceAll(p, "$ORIGIN", origin))...)
		}
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	dirs = append(dirs, "/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
		"/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu")
	for _, dir := range dirs {
		if dir != "" && isFile(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}
