package libtorch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sidecar is the content of the text file beside a shim.
type Sidecar struct {
	Version string `json:"libtorch_version"` // libtorch that the shim was built for
	// its folder, as in the rpath; relative in the sidecar of a package
	Libtorch string `json:"libtorch"`
	// Libtorch was relative: the shim works with any build of this release
	Packaged   bool   `json:"packaged,omitempty"`
	SourceHash string `json:"source_hash"`           // SourceHash of its sources
	CUDA       bool   `json:"cuda"`                  // liblosscorr_cuda.so is beside it
	CUDAReason string `json:"cuda_reason,omitempty"` // why the CUDA shim was not built
	Compiler   string `json:"compiler"`
}

// SidecarPath returns the sidecar's path: the library's with .txt for .so.
func SidecarPath(library string) string {
	return strings.TrimSuffix(library, filepath.Ext(library)) + ".txt"
}

// ReadSidecar reads the sidecar of a shim library.
func ReadSidecar(library string) (Sidecar, error) {
	name := SidecarPath(library)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Sidecar{}, fmt.Errorf("%s is missing, so the libtorch that the shim was built for is unknown",
			filepath.Base(name))
	}
	if err != nil {
		return Sidecar{}, fmt.Errorf("read the shim's sidecar: %w", err)
	}
	values, n := map[string]string{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		if !ok && line != "" {
			return Sidecar{}, fmt.Errorf("%s:%d: not key=value: %q", name, n, line)
		}
		values[key] = value
	}
	for _, key := range []string{"libtorch_version", "libtorch", "source_hash"} {
		if values[key] == "" {
			return Sidecar{}, fmt.Errorf("%s: no %s in it", name, key)
		}
	}
	s := Sidecar{
		Version: values["libtorch_version"], Libtorch: values["libtorch"], SourceHash: values["source_hash"],
		CUDA: values["cuda"] == "yes", CUDAReason: values["cuda_reason"], Compiler: values["compiler"],
	}
	if s.Packaged = !filepath.IsAbs(s.Libtorch); s.Packaged {
		s.Libtorch = filepath.Join(filepath.Dir(library), s.Libtorch)
	}
	return s, nil
}
