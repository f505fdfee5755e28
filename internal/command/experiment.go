package command

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
)

// Stage is a configuration that runs after another.
type Stage struct {
	After  string // the earlier configuration
	Config string // YAML file without its ending
	Loss   string // start from the weights of After's run with this loss; empty: from none
}

// Experiment is the main of an experiment of the paper: it runs name.yaml in the
// folder name of files, then the stages after it. The first argument names another
// YAML file, without its ending, to run with its stages instead; a stage, or name
// given as an argument, runs without further stages. --loss leaves out the stages.
// Experiment returns the exit code.
func Experiment(name string, files fs.FS, args []string, stages ...Stage) int {
	return Default().Experiment(name, files, args, stages...)
}

// Experiment is the main of an experiment with p's parts.
func (p Program) Experiment(name string, files fs.FS, args []string, stages ...Stage) int {
	p.Program = p.Complete()
	line := p.App(name, "an experiment of the paper")
	line.ArgsUsage = "[" + strings.Join(yamlNames(files, name), " | ") + "] [key=value...]"
	line.Flags = app.RunFlags("runs/" + name)
	line.HideHelpCommand = true
	line.Action = func(c *cli.Context) error {
		names, given := app.Split(c.Args().Slice())
		which := name
		if len(names) > 0 {
			which = names[0]
		}
		if known := yamlNames(files, name); !slices.Contains(known, which) {
			return app.Usage(name, "unknown configuration %q%s; there is: %s", which, config.Suggest(which, known),
				strings.Join(known, ", "))
		}
		if len(names) > 1 {
			return app.Usage(name, "unexpected argument %q; overrides have the form key=value", names[1])
		}
		all, err := app.Overrides(c, given)
		if err != nil {
			return err
		}
		chain := []Stage{{Config: which}}
		chosen := config.Sets(all, "loss")
		for _, s := range stages {
			switch {
			case s.Config == which:
				chain = []Stage{s}
			case s.After == which && !chosen && (len(names) == 0 || which != name): // stages have losses of their own
				chain = append(chain, s)
			}
		}
		e := experiment{Context: c, name: name, files: files}
		if which != name && c.String("out") == "" { // keep the report of name's runs in the same folder
			e.part = which
		}
		first := make([]config.Config, len(chain))
		for i, s := range chain { // before the first one trains
			if first[i], err = e.firstRun(s, all); err != nil {
				return err
			}
		}
		for i, s := range chain {
			if err := e.stage(p, s, first[i], all); err != nil {
				return err
			}
		}
		return nil
	}
	return p.Run(line, args)
}

// experiment is an experiment with its command line.
type experiment struct {
	*cli.Context
	name  string
	part  string // folder of the report below the folder of the runs; empty: the same
	files fs.FS
}

func (e experiment) read(name string, overrides []string) (*config.Document, error) {
	return config.ReadFS(e.files, path.Join(e.name, name+".yaml"), overrides...)
}

// firstRun returns the run whose weights a stage starts from, or a zero Config if it starts from none.
func (e experiment) firstRun(s Stage, given []string) (config.Config, error) {
	if s.Loss == "" {
		return config.Config{}, nil
	}
	doc, err := e.read(s.After, append(slices.Clone(given), "loss="+s.Loss))
	if err != nil {
		return config.Config{}, err
	}
	configs, err := doc.Expand()
	if err != nil {
		return config.Config{}, err
	}
	if len(configs) != 1 {
		return config.Config{}, app.Usage(e.name,
			"%s starts from one run of %s, not from %d: choose one, for example with --seeds 1, or leave out %s by choosing "+
				"losses with --loss",
			s.Config, s.After, len(configs), s.Config)
	}
	return configs[0], nil
}

// stage runs a stage from the weights of first.
func (e experiment) stage(p Program, s Stage, first config.Config, given []string) error {
	if s.Loss != "" {
		out := app.OutFolder(e.Context, e.name)
		weights, err := filepath.Abs(filepath.Join(out, first.ID(), store.CheckpointsDir, train.BestFile))
		if err != nil {
			return err
		}
		if _, err := os.Stat(weights); err != nil {
			source := fmt.Sprintf("%s starts from %s, written by the run of %s with loss %s", s.Config, weights, s.After,
				s.Loss)
			switch {
			case diverged(out, first.ID()):
				fmt.Fprintf(p.Stderr, "%s: that run diverged, so %s is left out\n", source, s.Config)
			case e.Bool("dry-run"):
				fmt.Fprintln(p.Stderr, source)
			default:
				return app.Usage(e.name, "%s: do that run first, with the arguments %s --loss %s, or repeat its overrides",
					source, s.After, s.Loss)
			}
			return nil
		}
		given = append(slices.Clone(given), fmt.Sprintf("weights=%q", weights))
	}
	doc, err := e.read(s.Config, given)
	if err != nil {
		return err
	}
	return p.Train(e.Context, doc, e.name, e.part)
}

// diverged reports whether a run finished by diverging.
func diverged(root, id string) bool {
	folder, err := store.Open(root, id)
	if err != nil {
		return false
	}
	result, err := folder.Result()
	return err == nil && result.State == store.Diverged
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
