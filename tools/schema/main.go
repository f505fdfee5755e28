// Command schema writes the JSON Schema of configuration files, with which editors
// complete and check them, and the lists of parts in docs/configuration.md.
// Run it with `go generate ./experiments`.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "..", "folder of the module")
	out := flag.String("out", "experiments/schema.json", "file to write, from there")
	flag.Parse()
	if err := run(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run(root, out string) error {
	if err := os.Chdir(root); err != nil { // the names of packages are made of paths, and those may have no ..
		return err
	}
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
	return errors.Join(os.WriteFile(out, text, 0o644), os.WriteFile(guideFile, guide, 0o644))
}
