package libtorch

import (
	"debug/elf"
	"fmt"
	"os"
	"strings"
)

// whole returns an error if a Linux library is truncated, as after a full disk. The loader would map it, and the
// process would die when it reads the missing part.
func whole(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := file.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		return nil // not a Linux library: the loader reports that
	}
	const remedy = "run losscorr setup (or make)"
	f, err := elf.NewFile(file)
	if err != nil {
		return fmt.Errorf("cut short or damaged (%s): %s", strings.TrimSpace(err.Error()), remedy)
	}
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; end > uint64(info.Size()) {
			return fmt.Errorf("cut short, %d bytes of at least %d: %s", info.Size(), end, remedy)
		}
	}
	return nil
}
