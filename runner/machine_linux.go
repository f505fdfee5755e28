package runner

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

func readCPU() CPU {
	var c CPU
	if file, err := os.Open("/proc/cpuinfo"); err == nil {
		c = parseCPUInfo(file)
		file.Close()
	}
	c.Cores = runtime.NumCPU()
	return c
}

// PeakMiB returns the most memory that the process has held, in MiB.
func PeakMiB() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss >> 10 // Linux counts in KiB
}
