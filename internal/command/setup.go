package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch/libtorch"
)

func (p Program) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "find or fetch libtorch, compile the shim where Go programs that import torch find it, and " +
			"print its path",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "cuda", Usage: "fetch libtorch with CUDA (4.7 GB instead of 1.1)"},
			&cli.StringFlag{Name: "release", Usage: "release of libtorch to fetch (default: " + libtorch.Default() + ")"},
			&cli.BoolFlag{Name: "fetch", Usage: "fetch even if libtorch is found"},
			&cli.BoolFlag{Name: "force", Usage: "compile even if a shim is found"},
		},
		Action: p.setup,
	}
}

func (p Program) setup(c *cli.Context) error {
	defer app.Stoppable(c.Context, app.OtherStops)()
	made, err := p.setUp(c)
	if err != nil {
		return unavailable(c.Context, err)
	}
	_, err = fmt.Fprintln(p.Stdout, made.Path)
	return err
}

// setUp installs the shim for the libtorch of the flags in the cache, and returns it.
func (p Program) setUp(c *cli.Context) (made libtorch.Shim, err error) {
	in, err := p.obtain(c)
	if err != nil {
		return made, err
	}
	fmt.Fprintln(p.Stderr, in)
	dest, err := libtorch.CacheDir(in, losscorr.Sources)
	if err != nil {
		return made, err
	}
	// Other programs cannot find a shim beside this one, so it goes to the cache, where
	// every Go program that imports torch looks.
	made, err = libtorch.Cached(losscorr.Sources, in, dest)
	if err != nil || c.Bool("force") {
		if err := p.makeShim(c, in, dest); err != nil {
			return made, err
		}
		if made, err = libtorch.Cached(losscorr.Sources, in, dest); err != nil {
			return made, err
		}
	}
	shim, err := libtorch.Locate(losscorr.Sources)
	if err != nil {
		return made, err
	}
	if shim.Libtorch != in.Dir {
		fmt.Fprintf(p.Stderr, "note: %s is for another libtorch and is found first; set LIBTORCH=%s to use the new one\n",
			shim.Path, in.Dir)
	}
	return made, nil
}

// makeShim installs the shim for in in dest. It copies a shim found elsewhere, or compiles
// one.
func (p Program) makeShim(c *cli.Context, in libtorch.Install, dest string) error {
	shim, err := libtorch.Locate(losscorr.Sources)
	if err == nil && shim.Libtorch == in.Dir && filepath.Base(shim.Path) == libtorch.ShimName &&
		filepath.Dir(shim.Path) != dest && !c.Bool("force") {
		fmt.Fprintf(p.Stderr, "copying the shim %s\n", shim.Path)
		return libtorch.Copy(c.Context, shim, dest, p.Stderr)
	}
	fmt.Fprintln(p.Stderr, "compiling the shim, about a minute")
	return libtorch.Build(c.Context, losscorr.Sources, in, dest, p.Stderr)
}

// obtain finds libtorch, or fetches it if there is none. If $LIBTORCH names one
// that does not work, obtain returns an error instead of fetching another.
func (p Program) obtain(c *cli.Context) (libtorch.Install, error) {
	if !c.Bool("fetch") && c.String("release") == "" {
		in, err := libtorch.Find()
		var none *libtorch.NoInstallError
		if err == nil && c.Bool("cuda") && (!in.CUDA || in.CUDAMissing != "") {
			fmt.Fprintf(p.Stderr, "%v; fetching one with CUDA\n", in)
		} else if err == nil || !errors.As(err, &none) {
			return in, err
		}
	}
	dir, err := libtorch.CachedInstallDir()
	if err != nil {
		return libtorch.Install{}, err
	}
	return libtorch.Fetch(c.Context, dir, libtorch.FetchOptions{
		Version: c.String("release"), CUDA: c.Bool("cuda"), Log: p.Stderr,
	})
}

// unavailable marks an error of the set-up, unless a signal caused it.
func unavailable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return &grid.StoppedError{Err: store.ErrInterrupted, Cause: cause}
	}
	return fmt.Errorf("set-up: %w: %w", store.ErrUnavailable, err)
}
