// Notices writes THIRD_PARTY_NOTICES.txt: the licences of all Go modules whose code is in the
// programs, and of Go itself.
//
//	go run ./tools/notices [-check]
//
// The file is part of the programs: losscorr version --licences prints it. With -check it
// only has to be up to date.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/losscorr/losscorr/internal/tool"
)

// file is where the notices are, from the root of the module.
const file = "THIRD_PARTY_NOTICES.txt"

func main() { os.Exit(tool.Main("notices", os.Stdout, run)) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	check := flags.Bool("check", false, "compare the file, and write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := collect(ctx)
	if err != nil {
		return err
	}
	if !*check {
		fmt.Fprintf(out, "%s: %d bytes\n", file, len(text))
		return os.WriteFile(file, text, 0o666)
	}
	have, err := os.ReadFile(file)
	if err == nil && !bytes.Equal(have, text) {
		err = errors.New("is not that of go.mod's modules: run make notices")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
