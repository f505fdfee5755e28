package store

import (
	"io"
	"time"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// Job is the input of a function that executes one run; see grid.ExecuteFunc.
type Job struct {
	Config           config.Config
	Folder           *Folder // its lease is held by this process
	DependencyFolder *Folder // of the cross-entropy run that an estimated loss needs; nil otherwise
	Progress         Sink
	Log              io.Writer // the run's log.txt
	CheckpointEvery  time.Duration
	Warn             func(error) // reports a problem that does not end the run
}

// Sink receives the progress of a run. Its methods may be called from the run's
// goroutine only.
type Sink interface {
	// Resumed reports how many epochs earlier attempts have done, before any other report.
	Resumed(epochs int)
	// Epoch reports a finished epoch.
	Epoch(e metrics.Epoch)
	// Batch reports how many of an epoch's batches are done.
	Batch(done, total int)
}
