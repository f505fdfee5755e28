package app

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/grid"
	"github.com/losscorr/losscorr/grid/progress"
)

// NoProgress reports whether the flags ask for silence.
func NoProgress(c *cli.Context) bool { return c.Bool("quiet") || c.String("progress") == "none" }

// Reading shows how far a long reading of data is, but between no JSON lines.
func (p Program) Reading(c *cli.Context) func(what string, done, total int) {
	return progress.NewReading(Raw(p.Stderr), NoProgress(c) || c.String("progress") == "json")
}

// Progress is the display that the flags ask for, and what ends it.
func (p Program) Progress(c *cli.Context) (grid.Progress, func(), error) {
	kind, path, _ := strings.Cut(c.String("progress"), ":")
	none := func() {}
	switch {
	case NoProgress(c):
		return progress.New(Raw(p.Stderr), true), none, nil
	case kind == "auto", kind == "":
		return progress.New(Raw(p.Stderr), false), none, nil
	case kind == "bars":
		return progress.NewBars(Raw(p.Stderr)), none, nil
	case kind == "lines":
		return progress.NewLines(Raw(p.Stderr)), none, nil
	case path == "":
		return progress.NewJSONLines(Raw(p.Stderr)), none, nil
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

// Note tells people what is being done, unless the flags ask for silence.
func (p Program) Note(c *cli.Context) func(string) {
	return func(text string) {
		if !NoProgress(c) {
			fmt.Fprintln(p.Stderr, text)
		}
	}
}

func (p Program) PrintJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	_, err = p.Stdout.Write(append(data, '\n'))
	return err
}
