// Command schema writes the JSON Schema of configuration files, for editors to
// complete and check them, and the lists of parts in docs/configuration.md.
// Run it with `go generate .`.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/losscorr/losscorr/internal/tool"
)

func main() { os.Exit(tool.Main("schema", os.Stdout, run)) }

func run(context.Context, []string, io.Writer) error {
	text, err := document()
	if err != nil {
		return err
	}
	guide, err := os.ReadFile(guideFile)
	if err != nil {
		return err
	}
	if guide, err = withParts(guide); err != nil {
		return err
	}
	return errors.Join(os.WriteFile("experiments/schema.json", text, 0o644), os.WriteFile(guideFile, guide, 0o644))
}
