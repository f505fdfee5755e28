package libtorch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// SourceHash identifies the shim's sources: the SHA-256, in hexadecimal, of
//
//	sha256(file)  path
//
// lines over CMakeLists.txt and the .h, .hpp and .cpp files under cgo, sorted by
// path. CMakeLists.txt computes the same and writes it into the sidecar.
func SourceHash(sources fs.FS) (string, error) {
	names := []string{"CMakeLists.txt"}
	err := fs.WalkDir(sources, "cgo", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && slices.Contains([]string{".h", ".hpp", ".cpp"}, path.Ext(name)) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hash the shim's sources: %w", err)
	}
	slices.Sort(names)

	manifest := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			return "", fmt.Errorf("hash the shim's sources: %w", err)
		}
		_, _ = fmt.Fprintf(manifest, "%x  %s\n", sha256.Sum256(text), name) // a hash never fails
	}
	return hex.EncodeToString(manifest.Sum(nil)), nil
}
