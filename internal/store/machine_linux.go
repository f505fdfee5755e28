package store

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

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

// bootID returns the id of the last boot.
func bootID() string { return firstLine("/proc/sys/kernel/random/boot_id") }

// processSpace returns the name of this process's pid namespace; each container has its own.
func processSpace() string {
	space, _ := os.Readlink("/proc/self/ns/pid") // empty without /proc
	return space
}

// clockSpace returns the name of this process's time namespace, on which the times since boot depend.
func clockSpace() string {
	space, _ := os.Readlink("/proc/self/ns/time") // empty before Linux 5.6
	return space
}

// process reports whether a process exists and, if known, when it started, in ticks since boot, which distinguishes two
// processes with the same id.
func process(pid int) (alive bool, begun string) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false, ""
	}
	stat := firstLine(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, in parentheses, may hold anything. After it come the state and, 19 fields on, the start.
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 20 {
		return true, ""
	}
	return fields[0] != "Z" && fields[0] != "X", fields[19]
}

func firstLine(path string) string {
	data, _ := os.ReadFile(path) // empty without /proc
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}
