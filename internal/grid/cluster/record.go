package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/losscorr/losscorr/internal/files"
)

// RecordName is the file in a plan's folder that lists the submitted jobs.
const RecordName = "jobs.json"

// The kinds of jobs.
const (
	First = "first" // runs that others need
	Rest  = "rest"  // the others
	All   = "all"   // both
)

// Record lists the submitted jobs of a plan, in order.
type Record struct {
	Schema int   `json:"schema"`
	Jobs   []Job `json:"jobs"`
}

// Job is one submission.
type Job struct {
	Cluster   string   `json:"cluster"`             // the scheduler's name
	ID        string   `json:"id"`                  // Slurm's number, or the name of a Kubernetes Job
	Namespace string   `json:"namespace,omitempty"` // Kubernetes only
	What      string   `json:"what"`                // First, Rest or All
	Tasks     string   `json:"tasks,omitempty"`     // of the plan, by humanize.Ranges
	Offset    int      `json:"offset,omitempty"`    // task minus index in the array
	Pack      int      `json:"pack,omitempty"`
	Command   []string `json:"command"`
	Submitted string   `json:"submitted"` // RFC 3339, UTC
}

// Load reads the record in a plan's folder. It is empty if nothing was submitted.
func Load(dir string) (Record, error) {
	path := filepath.Join(dir, RecordName)
	data, err := files.Read(path, 1<<26)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{Schema: 1}, nil
	}
	if err != nil {
		return Record{}, fmt.Errorf("record of submitted jobs: %w", err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("%s is damaged: %w; check what is queued, then move the file away", path, err)
	}
	if r.Schema != 1 {
		return Record{}, fmt.Errorf("%s has schema %d, this program reads 1", path, r.Schema)
	}
	return r, nil
}

// Add appends a job to the record in a plan's folder.
func (r *Record) Add(dir string, j Job) error {
	j.Submitted = time.Now().UTC().Format(time.RFC3339)
	r.Schema, r.Jobs = 1, append(r.Jobs, j)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the record of submitted jobs: %w", err)
	}
	if err := files.Write(filepath.Join(dir, RecordName), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("job %s was submitted but cannot be recorded: %w", j.ID, err)
	}
	return nil
}

// Of returns one cluster's jobs.
func (r Record) Of(cluster string) []Job {
	return slices.DeleteFunc(slices.Clone(r.Jobs), func(j Job) bool { return j.Cluster != cluster })
}

// describe returns the tasks of a job.
func (j Job) describe() string {
	if j.What == First {
		return "tasks " + j.Tasks + ", which others need"
	}
	return "tasks " + j.Tasks
}
