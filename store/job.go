package store

import (
	"io"
	"time"

	"github.com/losscorr/losscorr/config"
)

// Job is what an executor gets for one run.
type Job struct {
	Config           config.Config
	Folder           *Folder // locked for this process
	DependencyFolder *Folder // of the cross-entropy run, for an estimated loss; nil otherwise
	Progress         Sink
	Log              io.Writer // the run's log.txt
	CheckpointEvery  time.Duration
	Warn             func(error) // tells people what went wrong without ending the run
}

// Sink takes what a run reports while it trains. Its methods may be called from
// the run's goroutine only.
type Sink interface {
	// Epoch reports a finished epoch.
	Epoch(e Epoch)
	// Batch reports how many of an epoch's batches are done.
	Batch(done, total int)
}
