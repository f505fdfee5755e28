// Layers prints the imports between the project's packages, floor by floor, and fails if
// an import does not point downwards:
//
//	go run ./internal/layers
//
// docs/architecture.md gives the reasons.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints the graph. The error lists the imports that do not point downwards.
func run(w io.Writer) error {
	graph, err := imports()
	if err != nil {
		return err
	}
	show(w, graph)
	if bad := problems(graph); len(bad) > 0 {
		return errors.New(strings.Join(bad, "\n"))
	}
	return nil
}
