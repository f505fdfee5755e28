// Command libtorch finds or fetches a libtorch and writes its folder to a file, for make and CMake.
//
//	libtorch -out FILE -dir DIR             find one, else fetch the default into DIR
//	libtorch -out FILE -dir DIR -fetch V    fetch release V (oldest, default, newest)
//	libtorch -out FILE -dir DIR -cuda       fetch everything that a GPU needs
//
// FILE is written only if its content changes, so that targets that depend on it stay up to date.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/torch/libtorch"
)

func main() { os.Exit(tool.Main("libtorch", os.Stderr, run)) }

func run(ctx context.Context, args []string, log io.Writer) error {
	flags := flag.NewFlagSet("libtorch", flag.ContinueOnError)
	flags.SetOutput(log)
	out := flags.String("out", "", "file to write the folder of libtorch to")
	dir := flags.String("dir", "", "folder to fetch libtorch into")
	version := flags.String("fetch", "", "fetch this release instead of searching")
	cuda := flags.Bool("cuda", false, "fetch everything that a GPU needs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *dir == "" {
		return fmt.Errorf("usage: libtorch -dir DIR [-out FILE] [-fetch RELEASE] [-cuda], not %q", args)
	}
	in, err := choose(ctx, *dir, *version, *cuda, log)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(log, in); err != nil {
		return err
	}
	if *out == "" {
		return nil
	}
	return writeIfChanged(*out, in.Dir+"\n")
}

func choose(ctx context.Context, dir, version string, cuda bool, log io.Writer) (libtorch.Install, error) {
	if version == "" && !cuda {
		in, err := libtorch.Find(dir)
		var none *libtorch.NoInstallError
		if err == nil || !errors.As(err, &none) {
			return in, err
		}
		for _, a := range none.Tried {
			if _, err := fmt.Fprintf(log, "no libtorch from %s: %s\n", a.Path, a.Reason); err != nil {
				return libtorch.Install{}, err
			}
		}
	}
	return libtorch.Fetch(ctx, dir, libtorch.FetchOptions{Version: version, CUDA: cuda, Log: log})
}

func writeIfChanged(name, text string) error {
	if have, err := os.ReadFile(name); err == nil && string(have) == text {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return files.Write(name, []byte(text), 0o644)
}
