package store

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

func readCPU() CPU {
	c := CPU{Cores: runtime.NumCPU()}
	// Apple's processors have no list of flags, so it stays empty.
	c.Model, _ = unix.Sysctl("machdep.cpu.brand_string")
	if flags, err := unix.Sysctl("machdep.cpu.features"); err == nil {
		c.Flags = strings.Fields(strings.ToLower(flags))
	}
	return c
}

// bootID returns the time of the last boot, which identifies it.
func bootID() string {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec)
}

// processSpace is constant: macOS has no pid namespaces.
func processSpace() string { return "" }

// clockSpace is constant: macOS has no time namespaces.
func clockSpace() string { return "" }

// process reports whether a process exists and, if known, when it started, which distinguishes two processes with the
// same id.
func process(pid int) (alive bool, begun string) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false, ""
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return true, ""
	}
	const zombie = 5 // SZOMB of sys/proc.h
	at := info.Proc.P_starttime
	return info.Proc.P_stat != zombie, fmt.Sprintf("%d.%06d", at.Sec, at.Usec)
}
