// Command configschema writes the JSON Schema of configuration files, by which
// editors complete and check them. Run it with `go generate ./experiments`.
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
	if err != nil {
		fmt.Fprintln(os.Stderr, "configschema:", err)
		os.Exit(1)
	}
}
