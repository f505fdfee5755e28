// Command schema writes the JSON Schema of configuration files, with which editors
// complete and check them, and the lists of parts in docs/configuration.md.
// Run it with `go generate ./experiments`.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "..", "folder of the module")
	out := flag.String("out", "experiments/schema.json", "file to write, from there")
	flag.Parse()
	err := os.Chdir(*root) // the names of packages are made of paths, and those may have no ..
	var text []byte
	if err == nil {
		text, err = document()
	}
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	var guide []byte
	if err == nil {
		guide, err = os.ReadFile(guideFile)
	}
	if err == nil {
		guide, err = withParts(guide)
	}
	if err == nil {
		err = os.WriteFile(guideFile, guide, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}
