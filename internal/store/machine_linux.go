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

// bootID returns the id of this start of the machine.
func bootID() string { return firstLine("/proc/sys/kernel/random/boot_id") }

// processSpace returns the name of the pid namespace of this process; each container
// of a machine has its own.
func processSpace() string {
	space, _ := os.Readlink("/proc/self/ns/pid") // empty where there is no /proc
	return space
}

// clockSpace returns the name of the time namespace of this process, by which the times
// since the machine started that it reads differ.
func clockSpace() string {
	space, _ := os.Readlink("/proc/self/ns/time") // empty before Linux 5.6
	return space
}

// process reports whether a process exists and, if it can be read, when it started,
// in ticks since the machine started. The start tells apart two processes with the
// same id.
func process(pid int) (alive bool, begun string) {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false, ""
	}
	stat := firstLine(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, in parentheses, may hold anything; after it come the state and,
	// 19 fields on, the start.
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) < 20 {
		return true, ""
	}
	return fields[0] != "Z" && fields[0] != "X", fields[19]
}

func firstLine(path string) string {
	data, _ := os.ReadFile(path) // empty where there is no /proc
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}
