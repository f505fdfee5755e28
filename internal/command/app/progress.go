package app

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/grid/progress"
)

// Reading returns a function that shows the progress of reading data.
func (p Program) Reading(c *cli.Context) func(what string, done, total int) {
	return progress.NewReading(Raw(p.Stderr), c.Bool("quiet"))
}

// Progress returns the progress display for the flags.
func (p Program) Progress(c *cli.Context) *grid.Display {
	return &grid.Display{Out: Raw(p.Stderr), Quiet: c.Bool("quiet")}
}

// Note returns a function that prints a message unless --quiet is set.
func (p Program) Note(c *cli.Context) func(string) {
	return func(text string) {
		if !c.Bool("quiet") {
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
