package runner

import (
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

func readCPU() CPU {
	c := CPU{Cores: runtime.NumCPU()}
	// Apple's own processors have no such list of flags; an empty one is right.
	c.Model, _ = unix.Sysctl("machdep.cpu.brand_string")
	if flags, err := unix.Sysctl("machdep.cpu.features"); err == nil {
		c.Flags = strings.Fields(strings.ToLower(flags))
	}
	return c
}

// PeakMiB returns the most memory that the process has held, in MiB.
func PeakMiB() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss >> 20 // macOS counts in bytes
}
