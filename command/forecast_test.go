package command

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/grid/progress"
)

// What takes long says so before it begins, by the runs that go on at a time, and
// what does not is silent.
func TestForecast(t *testing.T) {
	for _, tt := range []struct {
		each    time.Duration
		runs    int
		workers int
		want    string
	}{
		{2 * time.Minute, 4, 1, ""},
		{10 * time.Minute, 4, 8, "this takes about 10 minutes, by the first steps (4 runs, 4 at a time)\n"},
		{50 * time.Minute, 4, 1, "this takes about 3 h 20 min, by the first steps (4 runs, 1 at a time)\n"},
		{24 * time.Hour, 24, 2, "this takes about 12 days, by the first steps (24 runs, 2 at a time)\n"},
	} {
		var said bytes.Buffer
		p := pretending(fakePipeline{each: tt.each})
		if err := p.forecast(progress.NewLines(&said), make([]config.Config, tt.runs), tt.workers); err != nil {
			t.Fatal(err)
		}
		if got := said.String(); got != tt.want {
			t.Errorf("%d runs of %v, %d at a time: %q, want %q", tt.runs, tt.each, tt.workers, got, tt.want)
		}
	}
	failed := errors.New("no data")
	p := pretending(fakePipeline{err: failed})
	if err := p.forecast(grid.Quiet{}, make([]config.Config, 1), 1); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	if err := p.forecast(grid.Quiet{}, nil, 1); err != nil {
		t.Errorf("nothing left to do: %v", err)
	}
}
