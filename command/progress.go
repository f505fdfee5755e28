package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/grid/progress"
)

// noProgress reports whether the flags ask for silence.
func noProgress(c *cli.Context) bool { return c.Bool("quiet") || c.String("progress") == "none" }

// reading shows how far a long reading of data is, but between no JSON lines.
func (p Program) reading(c *cli.Context) func(what string, done, total int) {
	return progress.NewReading(raw(p.Stderr), noProgress(c) || c.String("progress") == "json")
}

// progress is the display that the flags ask for, and what ends it.
func (p Program) progress(c *cli.Context) (grid.Progress, func(), error) {
	kind, path, _ := strings.Cut(c.String("progress"), ":")
	none := func() {}
	switch {
	case noProgress(c):
		return progress.New(raw(p.Stderr), true), none, nil
	case kind == "auto", kind == "":
		return progress.New(raw(p.Stderr), false), none, nil
	case kind == "bars":
		return progress.NewBars(raw(p.Stderr)), none, nil
	case kind == "lines":
		return progress.NewLines(raw(p.Stderr)), none, nil
	case path == "":
		return progress.NewJSONLines(raw(p.Stderr)), none, nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("progress: %w", err)
	}
	return progress.NewJSONLines(file), func() {
		if err := file.Close(); err != nil {
			fmt.Fprintf(p.Stderr, "progress: %v\n", err)
		}
	}, nil
}
