package command

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training"
	"github.com/urfave/cli/v2"
)

// Stage is what an experiment does after the runs of a configuration.
type Stage struct {
	After  string // that configuration; empty: the main one
	Config string // YAML file without its ending
	// From names a configuration whose run with Loss gives the weights to start
	// from; empty: none.
	From, Loss string
}

// Experiment is the main of an experiment of the paper, whose configurations lie
// in the folder name of files: it does the runs of name.yaml, or of
// another YAML file there that the first argument names without its ending, and,
// unless losses are chosen, of the stages after it. One of the stages, or name
// itself, is named to be done alone. It returns the exit code.
func Experiment(name string, files fs.FS, args []string, after ...Stage) int {
	return Default.Experiment(name, files, args, after...)
}

// Experiment is the main of an experiment with p's parts.
func (p Program) Experiment(name string, files fs.FS, args []string, after ...Stage) int {
	p = p.complete()
	app := p.app(name, "an experiment of the paper")
	app.ArgsUsage = "[" + strings.Join(yamlNames(files, name), " | ") + "] [key=value...]"
	app.Flags = runFlags("runs/" + name)
	app.HideHelpCommand = true
	app.Action = func(c *cli.Context) error {
		names, given := split(c.Args().Slice())
		stages := following(Stage{Config: name}, "", after)
		switch {
		case len(names) > 1:
			return usage(name, "unexpected argument %q; overrides have the form key=value", names[1])
		case len(names) == 1:
			which := names[0]
			if known := yamlNames(files, name); !slices.Contains(known, which) {
				return usage(name, "no configuration %q%s; there is: %s", which, config.Suggest(which, known), strings.Join(known, ", "))
			}
			stages = following(Stage{Config: which}, which, after)
			if i := slices.IndexFunc(after, func(s Stage) bool { return s.Config == which }); i >= 0 {
				stages = after[i : i+1]
			}
		}
		all, err := overrides(c, given)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, isLoss) {
			stages = stages[:1] // the others have losses of their own
		}
		for _, s := range stages { // before the first one trains
			if s.From == "" {
				continue
			}
			if _, err := firstRun(c, name, files, s, all); err != nil {
				return err
			}
		}
		for _, s := range stages {
			if err := p.stage(c, name, files, s, all); err != nil {
				return err
			}
		}
		return nil
	}
	return p.run(app, args)
}

// following is a first stage and those that come after the configuration name.
func following(first Stage, name string, after []Stage) []Stage {
	stages := []Stage{first}
	for _, s := range after {
		if s.After == name {
			stages = append(stages, s)
		}
	}
	return stages
}

func (p Program) stage(c *cli.Context, name string, files fs.FS, s Stage, given []string) error {
	if s.From != "" {
		first, err := firstRun(c, name, files, s, given)
		if err != nil {
			return err
		}
		weights, err := filepath.Abs(filepath.Join(outFolder(c, name), first.ID(), store.CheckpointsDir, training.BestFile))
		if err != nil {
			return err
		}
		if _, err := os.Stat(weights); err != nil {
			leaves := fmt.Sprintf("%s starts from %s, which the run of %s with loss %s leaves", s.Config, weights, s.From, s.Loss)
			switch {
			case diverged(outFolder(c, name), first.ID()):
				fmt.Fprintf(p.Stderr, "%s: that run diverged, and %s is left out\n", leaves, s.Config)
			case c.Bool("dry-run"):
				fmt.Fprintln(p.Stderr, leaves)
			default:
				return usage(name, "%s: do that first, with %s, or give the overrides that it was done with",
					leaves, alone(c, s.From, given, s.Loss))
			}
			return nil
		}
		given = append(slices.Clone(given), fmt.Sprintf("weights=%q", weights))
	}
	doc, err := config.ReadFS(files, path.Join(name, s.Config+".yaml"), given...)
	if err != nil {
		return err
	}
	return p.train(c, doc, name, given)
}

// isLoss tells the overrides that choose losses.
func isLoss(override string) bool { return strings.HasPrefix(override, "loss=") }

// firstRun is the run of an earlier configuration from whose weights a stage starts.
func firstRun(c *cli.Context, name string, files fs.FS, s Stage, given []string) (config.Config, error) {
	expand := func(given []string) ([]config.Config, error) {
		doc, err := config.ReadFS(files, path.Join(name, s.From+".yaml"), given...)
		if err != nil {
			return nil, err
		}
		return doc.Expand()
	}
	configs, err := expand(append(slices.Clone(given), "loss="+s.Loss))
	if err != nil {
		return config.Config{}, err
	}
	if len(configs) == 1 {
		return configs[0], nil
	}
	all, err := expand(given)
	if err != nil {
		return config.Config{}, err
	}
	var losses []string
	for _, run := range all {
		if !slices.Contains(losses, run.Loss) {
			losses = append(losses, run.Loss)
		}
	}
	return config.Config{}, usage(name, "%s starts from one run of %s, not from %d: narrow it down, say with --seeds 1, or do the runs of %s alone, with %s",
		s.Config, s.From, len(configs), s.From, alone(c, s.From, given, losses...))
}

// alone is the command that does the runs of a configuration and no stage after it.
func alone(c *cli.Context, config string, given []string, losses ...string) string {
	loss := strings.Join(losses, ", ")
	if len(losses) > 1 {
		loss = "[" + loss + "]"
	}
	words := append(append([]string{os.Args[0], config}, given...), "loss="+loss)
	for _, flag := range []string{"out", "max-bad", "offline"} {
		if c.IsSet(flag) {
			words = append(words, fmt.Sprintf("--%s=%v", flag, c.Value(flag)))
		}
	}
	for i, w := range words {
		words[i] = shell.Word(w)
	}
	return strings.Join(words, " ")
}

// diverged reports whether a run is finished with that result.
func diverged(root, id string) bool {
	folder, err := store.Open(root, id)
	if err != nil {
		return false
	}
	result, err := folder.Result()
	return err == nil && result.State == store.Diverged
}

// outFolder is where runs go.
func outFolder(c *cli.Context, name string) string {
	if out := c.String("out"); out != "" {
		return out
	}
	return filepath.Join("runs", name)
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
