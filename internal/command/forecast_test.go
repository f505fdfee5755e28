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
		each                 time.Duration
		runs, workers, stage int
		want                 string
	}{
		{2 * time.Minute, 4, 1, 0, ""},
		{10 * time.Minute, 4, 8, 0, "this takes about 10 minutes, judging by the first steps (4 runs, 4 at a time)\n"},
		{50 * time.Minute, 4, 1, 0, "this takes about 3 h 20 min, judging by the first steps (4 runs, 1 at a time)\n"},
		{15 * time.Second, 4, 2, 1, "about 30 s for stage 1, judging by the first steps (4 networks, 2 at a time)\n"},
	} {
		var said bytes.Buffer
		err := forecasting(tt.each, nil).forecast(progress.New(&said, false), make([]config.Config, tt.runs), tt.workers,
			tt.stage)
		if got := said.String(); err != nil || got != tt.want {
			t.Errorf("%d runs of %v, %d at a time: %q, %v, want %q", tt.runs, tt.each, tt.workers, got, err, tt.want)
		}
	}
	failed := errors.New("no data")
	for err, want := range map[error]error{failed: failed, &torch.Error{Kind: torch.OutOfMemory}: nil,
		&torch.Error{Kind: torch.DeviceLost}: store.ErrUnavailable} {
		if got := forecasting(0, err).forecast(grid.Quiet{}, make([]config.Config, 1), 1, 0); !errors.Is(got, want) {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// forecasting returns the commands over a pipeline whose runs take each long, or whose forecast fails.
func forecasting(each time.Duration, err error) Program {
	return Program{app.Program{Pipeline: fakePipeline{each: each, err: err}}}
}
