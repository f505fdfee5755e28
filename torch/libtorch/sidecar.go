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
	var s Sidecar
	var n int
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return Sidecar{}, fmt.Errorf("%s:%d: not key=value: %q", name, n, line)
		}
		switch key {
		case "libtorch_version":
			s.Version = value
		case "libtorch":
			if s.Libtorch, s.Packaged = value, value != "" && !filepath.IsAbs(value); s.Packaged {
				s.Libtorch = filepath.Join(filepath.Dir(library), value)
			}
		case "source_hash":
			s.SourceHash = value
		case "cuda":
			s.CUDA = value == "yes"
		case "cuda_reason":
			s.CUDAReason = value
		case "compiler":
			s.Compiler = value
		}
	}
	for key, value := range map[string]string{
		"libtorch_version": s.Version, "libtorch": s.Libtorch, "source_hash": s.SourceHash,
	} {
		if value == "" {
			return Sidecar{}, fmt.Errorf("%s: no %s in it", name, key)
		}
	}
	return s, nil
}
