// Package tool runs the programs that make and CI use.
package tool

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a tool with the arguments of the command line and what it writes to, and returns
// the process's exit status. Ctrl-C and SIGTERM end its context. An error is
// printed to standard error behind the tool's name, and gives status 1.
func Main(name string, out io.Writer, run func(ctx context.Context, args []string, out io.Writer) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], out); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
