// Command configschema writes the JSON Schema of configuration files, by which
// editors complete and check them. Run it with `go generate ./experiments`.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	comments := flag.String("runner", "../runner", "folder of the runner's sources, whose comments describe the keys")
	out := flag.String("out", "schema.json", "file to write")
	flag.Parse()
	text, err := document(*comments)
	if err == nil {
		err = os.WriteFile(*out, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "configschema:", err)
		os.Exit(1)
	}
}
