package progress

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training/metrics"
)

// NewJSONLines writes progress for other programs: one JSON object per line, each with
// schema, time and event. The events are plan (total, finished), begin, epoch and end
// of a run, note (text) and close.
func NewJSONLines(w io.Writer) grid.Progress { return &jsonProgress{w: w} }

type jsonProgress struct {
	mu sync.Mutex
	w  io.Writer
}

// jsonEvent is one line, without the fields that do not apply to the event.
type jsonEvent struct {
	Schema   int             `json:"schema"`
	Time     string          `json:"time"` // RFC 3339, UTC
	Event    string          `json:"event"`
	Total    int             `json:"total,omitempty"`
	Finished int             `json:"finished,omitempty"`
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Epoch    json.RawMessage `json:"epoch,omitempty"`
	Epochs   int             `json:"epochs,omitempty"`
	State    string          `json:"state,omitempty"`
	Error    string          `json:"error,omitempty"`
	Seconds  float64         `json:"seconds,omitempty"`
	Text     string          `json:"text,omitempty"`
}

func (p *jsonProgress) write(e jsonEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.Schema, e.Time = 1, time.Now().UTC().Format(time.RFC3339Nano)
	// A display that cannot be written to does not stop training.
	_ = json.NewEncoder(p.w).Encode(e)
}

func (p *jsonProgress) Plan(total, finished int) {
	p.write(jsonEvent{Event: "plan", Total: total, Finished: finished})
}

func (p *jsonProgress) Begin(run store.Planned) grid.Track {
	p.write(jsonEvent{Event: "begin", ID: run.ID, Name: run.Name, Epochs: run.Config.Epochs})
	return jsonTrack{p: p, run: run}
}

func (p *jsonProgress) Note(text string) { p.write(jsonEvent{Event: "note", Text: text}) }

func (p *jsonProgress) Close() { p.write(jsonEvent{Event: "close"}) }

type jsonTrack struct {
	p   *jsonProgress
	run store.Planned
}

func (t jsonTrack) Resumed(int) {}

func (t jsonTrack) Batch(int, int) {}

func (t jsonTrack) Epoch(e metrics.Epoch) {
	t.p.write(jsonEvent{Event: "epoch", ID: t.run.ID, Name: t.run.Name, Epoch: store.EncodeEpoch(e), Epochs: t.run.Config.Epochs})
}

func (t jsonTrack) End(o grid.Outcome) {
	e := jsonEvent{Event: "end", ID: o.ID, Name: o.Name, State: o.State, Seconds: o.Result.Seconds}
	if o.Err != nil {
		e.Error = o.Err.Error()
	}
	t.p.write(e)
}
