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
	Folder           *Folder // leased by this process
	DependencyFolder *Folder // of the cross-entropy run that estimates T; nil if not needed
	Progress         Sink
	Log              io.Writer // LogFile
	CheckpointEvery  time.Duration
	Warn             func(error) // reports a problem and continues
}

// Sink receives the progress of a run. Its methods are called only from the run's goroutine.
type Sink interface {
	// Resumed reports how many epochs earlier attempts finished, before any other report.
	Resumed(epochs int)
	// Epoch reports a finished epoch.
	Epoch(e metrics.Epoch)
	// Batch reports how many of an epoch's batches are done.
	Batch(done, total int)
}
