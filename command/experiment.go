package command

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/runner"
	"github.com/urfave/cli/v2"
)

// Experiment is the main of an experiment of the paper, whose configurations lie
// in the folder name of files: it does the runs of name.yaml, or of another YAML
// file there that the first argument names without its ending. It returns the
// exit code.
func Experiment(name string, files fs.FS, args []string) int {
	return Default.Experiment(name, files, args)
}

// Experiment is the main of an experiment with p's parts.
func (p Program) Experiment(name string, files fs.FS, args []string) int {
	p = p.complete()
	app := p.app(name, "an experiment of the paper")
	app.ArgsUsage = "[" + strings.Join(yamlNames(files, name), " | ") + "] [key=value...]"
	app.Flags = runFlags("runs/" + name)
	app.HideHelpCommand = true
	app.Action = func(c *cli.Context) error {
		names, given := split(c.Args().Slice())
		which := name
		switch {
		case len(names) > 1:
			return usage(name, "unexpected argument %q; overrides have the form key=value", names[1])
		case len(names) == 1:
			which = names[0]
		}
		if known := yamlNames(files, name); !slices.Contains(known, which) {
			return usage(name, "no configuration %q%s; there is: %s", which, runner.Suggest(which, known), strings.Join(known, ", "))
		}
		all, err := overrides(c, given)
		if err != nil {
			return err
		}
		doc, err := runner.ReadFS(files, path.Join(name, which+".yaml"), all...)
		if err != nil {
			return err
		}
		return p.train(c, doc, name, all)
	}
	return p.run(app, args)
}

func yamlNames(files fs.FS, dir string) []string {
	found, err := fs.Glob(files, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil // the pattern is right
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), path.Ext(f))
	}
	return found
}
