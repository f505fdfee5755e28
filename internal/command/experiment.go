package command

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
)

// Experiment is the main of an experiment of the paper: it runs name.yaml in the
// folder name of files. The first argument names another YAML file, without its ending,
// to run instead. Experiment returns the exit code.
func Experiment(name string, files fs.FS, args []string) int {
	return Default().Experiment(name, files, args)
}

// Experiment is the main of an experiment with p's parts.
func (p Program) Experiment(name string, files fs.FS, args []string) int {
	p.Program = p.Complete()
	known := yamlNames(files, name)
	line := p.App(name, "an experiment of the paper")
	line.ArgsUsage = "[" + strings.Join(known, " | ") + "] [key=value...]"
	line.Flags = app.RunFlags("runs/" + name)
	line.HideHelpCommand = true
	line.Action = func(c *cli.Context) error {
		names, given := app.Split(c.Args().Slice())
		which := name
		if len(names) > 0 {
			which = names[0]
		}
		switch {
		case !slices.Contains(known, which):
			return app.Usage(name, "unknown configuration %q%s; there is: %s", which, config.Suggest(which, known),
				strings.Join(known, ", "))
		case len(names) > 1:
			return app.Usage(name, "unexpected argument %q; overrides have the form key=value", names[1])
		}
		all, err := app.Overrides(c, given)
		if err != nil {
			return err
		}
		part := "" // folder of the report below the folder of the runs
		if which != name && c.String("out") == "" {
			part = which // keep the report of name's runs in the same folder
		}
		doc, err := config.ReadFS(files, path.Join(name, which+".yaml"), all...)
		if err != nil {
			return err
		}
		return p.Train(c, doc, name, part)
	}
	return p.Run(line, args)
}

func yamlNames(files fs.FS, dir string) []string {
	found, err := fs.Glob(files, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil // cannot happen: the pattern is valid
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), path.Ext(f))
	}
	return found
}
