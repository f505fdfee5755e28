package files

import (
	"fmt"
	"os"
	"path/filepath"
)

// Overwrites returns an error if the output would replace an input.
func Overwrites(out string, inputs ...string) error {
	to, err := os.Stat(out)
	if err != nil {
		return nil //nolint:nilerr // nothing to replace
	}
	for _, path := range inputs {
		if from, err := os.Stat(path); path != "" && err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s is an input and would be replaced; choose another place with --out", out)
		}
	}
	return nil
}

// Foreign returns an error if a folder without an output of this kind has files that the output would
// replace.
func Foreign(folder, what, kind string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("the %s would replace %s, which does not belong to %s; choose another folder with --out", what,
				path, kind)
		}
	}
	return nil
}
