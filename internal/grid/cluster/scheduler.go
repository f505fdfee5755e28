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

// Scheduler is a cluster's scheduler with the settings of one site. It is implemented
// by a pointer to a struct with the keys of a site file as fields.
type Scheduler interface {
	// Names returns what the scheduler and its parts are called.
	Names() Names
	// Options returns the settings that are numbers, words or switches, with
	// pointers to their values.
	Options() []Option
	// Validate checks the settings that are not among the options, and how
	// settings go together.
	Validate() error
	// UsesGPU reports whether tasks get a GPU.
	UsesGPU() bool
	// Queued returns what has not ended of jobs that were submitted.
	Queued(ctx context.Context, jobs []Job) ([]Queued, error)
	// Submit submits s.Runs, and calls s.Add with each job. With s.DryRun it
	// prints to s.Stdout what it would submit, and changes nothing.
	Submit(ctx context.Context, s *Submission) error
	// Requeue queues the task again that this process is, and returns when ctx
	// ends. It returns at once where this process is no task of the scheduler, or
	// where a task that ends with exit code 75 is started again.
	Requeue(ctx context.Context) error
}

// Names says what a scheduler and its parts are called.
type Names struct {
	Scheduler string // its subcommand and its jobs in a Record: slurm
	Usage     string // of the subcommand
	Index     string // environment variable with the index of a task
	Cancel    string // command that ends the jobs whose ids are its last arguments
	Elsewhere bool   // tasks do not see the folders of the machine that submits
}

// Queued is a task that has not ended.
type Queued struct {
	Job   Job
	Task  int    // of the plan; -1 for a job without tasks
	State string // such as running, or pending (Resources)
}

// callTime bounds a call of a scheduler's program, which may wait long for a server
// that is down.
const callTime = 2 * time.Minute

// Run calls a program of a scheduler with input on its standard input, and returns
// what it printed, without spaces around it. Where there is no such program the error
// is store.ErrUnavailable.
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
