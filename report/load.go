package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/losscorr/losscorr/store"
)

// schema is the version of result.json that this package reads.
const schema = 1

// ErrNone is the error of a folder in which no run has finished.
var ErrNone = errors.New("no " + store.ResultFile)

// Load reads the result of every run in dir and below, in the order of their
// paths. What cannot be read is left out and named in the error, beside which
// the other results are returned. A folder without a result is an error too.
func Load(dir string) ([]store.Result, error) {
	var s Scanner
	study, err := s.Scan(dir)
	results := study.Results()
	if err == nil && len(results) == 0 {
		err = fmt.Errorf("report: load runs: %w in %s or below: has a run finished there?", ErrNone, dir)
	}
	return results, err
}

func readResult(path string) (store.Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return store.Result{}, err
	}
	var r store.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return store.Result{}, fmt.Errorf("%s: %w; done again, the run leaves a new one", path, err)
	}
	if r.Schema != schema {
		return store.Result{}, fmt.Errorf("%s: schema %d, want %d: written by another version of the program", path, r.Schema, schema)
	}
	return r, nil
}

// ReadMetrics reads a metrics.jsonl, one epoch a line. Where a run was resumed
// from a checkpoint, epochs appear again and the last word counts. A last line
// without its end, which a killed run leaves, is passed over; any other damage
// is an error that names the file and the line.
func ReadMetrics(path string) ([]store.Epoch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("report: read metrics: %w", err)
	}
	defer f.Close()
	var epochs []store.Epoch
	r := bufio.NewReader(f)
	for line := 1; ; line++ {
		text, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) { // a line without its end, if any, is dropped
			return epochs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("report: read metrics: %w", err)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		e, err := store.DecodeEpoch([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("report: read metrics: %s:%d: %w", path, line, err)
		}
		for len(epochs) > 0 && epochs[len(epochs)-1].Epoch >= e.Epoch {
			epochs = epochs[:len(epochs)-1]
		}
		epochs = append(epochs, e)
	}
}
