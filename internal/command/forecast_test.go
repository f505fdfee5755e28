package command

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/progress"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Long work prints a forecast before it starts, by the number of runs at a time; short
// work prints nothing.
func TestForecast(t *testing.T) {
	for _, tt := range []struct {
		each    time.Duration
		runs    int
		workers int
		want    string
	}{
		{2 * time.Minute, 4, 1, ""},
		{10 * time.Minute, 4, 8, "this takes about 10 minutes, judging by the first steps (4 runs, 4 at a time)\n"},
		{50 * time.Minute, 4, 1, "this takes about 3 h 20 min, judging by the first steps (4 runs, 1 at a time)\n"},
		{24 * time.Hour, 24, 2, "this takes about 12 days, judging by the first steps (24 runs, 2 at a time)\n"},
	} {
		var said bytes.Buffer
		p := forecasting(tt.each, nil)
		if err := p.forecast(progress.New(&said, false), store.Plan{}, make([]config.Config, tt.runs), tt.workers,
			0); err != nil {
			t.Fatal(err)
		}
		if got := said.String(); got != tt.want {
			t.Errorf("%d runs of %v, %d at a time: %q, want %q", tt.runs, tt.each, tt.workers, got, tt.want)
		}
	}
	for _, tt := range []struct {
		each                       time.Duration
		runs, left, workers, Stage int
		want                       string
	}{
		{15 * time.Second, 4, 4, 1, 1, "about 2 minutes for both stages, judging by the first steps (8 networks, 1 at a time)\n"},
		{15 * time.Second, 4, 1, 2, 1, "about 45 s for both stages, judging by the first steps (5 networks, 2 at a time)\n"},
		{10 * time.Second, 4, 2, 1, 3, "about 20 s for stage 3, judging by the first steps\n"},
		{time.Millisecond, 4, 2, 8, 2, "about 1 s for stage 2, judging by the first steps\n"},
	} {
		var said bytes.Buffer
		p := forecasting(tt.each, nil)
		err := p.forecast(progress.New(&said, false), store.Plan{Runs: make([]store.Planned, tt.runs)},
			make([]config.Config, tt.left), tt.workers, tt.Stage)
		if got := said.String(); err != nil || got != tt.want {
			t.Errorf("stage %d: %q, %v, want %q", tt.Stage, got, err, tt.want)
		}
	}
	failed := errors.New("no data")
	p := forecasting(0, failed)
	if err := p.forecast(grid.Quiet{}, store.Plan{}, make([]config.Config, 1), 1, 0); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	if err := p.forecast(grid.Quiet{}, store.Plan{}, nil, 1, 0); err != nil {
		t.Errorf("nothing left to do: %v", err)
	}
	p = forecasting(0, &torch.Error{Kind: torch.OutOfMemory})
	if err := p.forecast(grid.Quiet{}, store.Plan{}, make([]config.Config, 1), 1, 0); err != nil {
		t.Errorf("no memory for one of the runs: %v", err)
	}
	p = forecasting(0, &torch.Error{Kind: torch.DeviceLost})
	if err := p.forecast(grid.Quiet{}, store.Plan{}, make([]config.Config, 1), 1, 0); !errors.Is(err,
		store.ErrUnavailable) {
		t.Errorf("a lost device: %v, want %v", err, store.ErrUnavailable)
	}
}

// forecasting returns the commands over a pipeline whose runs take each long, or whose forecast fails.
func forecasting(each time.Duration, err error) Program {
	return Program{app.Program{Pipeline: oracle{each: each, err: err}}}
}

type oracle struct {
	app.Pipeline
	each time.Duration
	err  error
}

func (o oracle) Forecast(configs []config.Config) (time.Duration, error) {
	return time.Duration(len(configs)) * o.each, o.err
}
