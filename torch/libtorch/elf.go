package libtorch

import (
	"debug/elf"
	"fmt"
	"os"
	"strings"
)

// whole returns an error if a library of Linux is cut short, as after a full disk: the
// loader maps it, and the process dies when it reads what is missing.
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
		return nil // no library of Linux: the loader says so itself
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
