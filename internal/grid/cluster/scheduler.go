package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/store"
)

// Scheduler is a cluster's scheduler with one site's settings. Pointers to structs with the site file's keys as fields
// implement it.
type Scheduler interface {
	// Names returns the names of the scheduler and its parts.
	Names() Names
	// Options returns the settings that are numbers, words or switches, with pointers to their values.
	Options() []Option
	// Validate checks the other settings, and combinations of settings.
	Validate() error
	// UsesGPU reports whether tasks get a GPU.
	UsesGPU() bool
	// Queued returns the tasks of the given jobs that have not ended.
	Queued(ctx context.Context, jobs []Job) ([]Queued, error)
	// Submit submits s.Runs, and calls s.Add with each job. With s.DryRun it only prints to s.Stdout what it would submit.
	Submit(ctx context.Context, s *Submission) error
	// Requeue queues this process's task again, and returns when ctx ends. It returns at once if this process is not a
	// task, or if the scheduler restarts tasks that end with exit code 75.
	Requeue(ctx context.Context) error
}

// Names holds the names of a scheduler and its parts.
type Names struct {
	Scheduler string // its name as a subcommand and in a Record, such as slurm
	Usage     string // of the subcommand
	Index     string // environment variable with the index of a task
	Cancel    string // command that ends jobs, followed by their IDs
	Elsewhere bool   // tasks cannot see the submitting machine's folders
}

// Queued is a task that has not ended.
type Queued struct {
	Job   Job
	Task  int    // of the plan; -1 for a job without tasks
	State string // such as running, or pending (Resources)
}

// callTime bounds calls of a scheduler's programs, which may wait long for a server that is down.
const callTime = 2 * time.Minute

// Run calls a scheduler's program with the given standard input and returns what it printed, with surrounding spaces
// trimmed. The error is store.ErrUnavailable if the program is not installed.
func Run(ctx context.Context, input []byte, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w: %s is not on the PATH; submit where the cluster's programs are installed, such as a "+
			"login node (--dry-run shows what would be submitted)",
			store.ErrUnavailable, name)
	}
	if !strings.HasPrefix(args[0], "-") {
		name += " " + args[0]
	}
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		return "", fmt.Errorf("%s: %s", name, strings.ReplaceAll(text, "\n", "; "))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(stdout.String()), nil
}
