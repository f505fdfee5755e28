package app

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid"
	"github.com/losscorr/losscorr/internal/store"
)

// RunFlags are the flags of everything that trains.
func RunFlags(out string) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "folder of the runs", DefaultText: out},
		JobsFlag(0),
		&cli.BoolFlag{Name: "dry-run", Usage: "print the runs and do nothing"},
		&cli.BoolFlag{Name: "json", Usage: "print results as JSON"},
	}, WorkFlags(), Narrowing())
}

// WorkFlags say how runs are done, whatever they are.
func WorkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "offline", Usage: "download no data set that is missing", EnvVars: Env("OFFLINE")},
		MaxBadFlag(),
		&cli.DurationFlag{
			Name: "checkpoint-every", Usage: "least time between two checkpoints (0: one after each epoch)",
			Value: grid.DefaultCheckpointEvery, EnvVars: Env("CHECKPOINT_EVERY"),
		},
		&cli.StringFlag{
			Name: "resume", Value: grid.ResumeAuto,
			Usage: "auto: resume unfinished runs; never: start them from the beginning; force: start all runs again, finished " +
				"ones too; changed: start again the runs of another revision of the program",
		},
		&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
	}
}

// CheckWork refuses bad values of the flags of work. Commands that read a user's data first
// call it before.
func CheckWork(c *cli.Context) error {
	if n := c.Int("workers"); n < 0 {
		return Misuse(c, "%d runs at a time (--jobs, --workers) are too few; 0 is one per core", n)
	}
	if every := c.Duration("checkpoint-every"); every < 0 {
		return Misuse(c, "--checkpoint-every %v is negative", every)
	}
	if lease := c.Duration("lease"); lease != 0 && lease < time.Second {
		return Misuse(c, "--lease %v is too short: live processes would be taken for dead; at least 1s", lease)
	}
	if c.String("resume") == grid.ResumeChanged && store.ThisCode().Revision == "" {
		return Misuse(c, "--resume %s: this program does not know the revision that it was built from; build it with make, "+
			"or use --resume force", grid.ResumeChanged)
	}
	return OneOf(c, "resume", grid.Resumes)
}

// MaxBadFlag is the number of broken examples that may be left out.
func MaxBadFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "max-bad", Usage: "images that do not decode and examples without a label that may be left out",
		Action: func(c *cli.Context, n int) error {
			if n < 0 {
				return Misuse(c, "--max-bad %d is negative", n)
			}
			return nil
		},
	}
}

// JobsFlag is the number of runs at a time.
func JobsFlag(value int) cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Aliases: []string{"jobs"}, Value: value, Usage: "runs at a time (0: one per core, or one per GPU)",
	}
}

// Narrowing are the flags that say what to run, and where.
func Narrowing() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N", EnvVars: Env("DEVICE")},
		&cli.StringFlag{Name: "data", Usage: "folder of the data sets", EnvVars: Env("DATA")},
	}, Choosing()...)
}

// Choosing are the flags that say what to run.
func Choosing() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "seeds", Usage: "seeds, such as 1,2 or 1-5"},
		&cli.StringFlag{Name: "preset", Usage: "preset: " + strings.Join(config.Presets, ", ")},
		&cli.StringFlag{Name: "noise", Usage: "kind:level, such as asymmetric:.6, or several with commas"},
		&cli.StringFlag{Name: "loss", Usage: "one or several of " + strings.Join(config.Losses(), ", ")},
	}
}

// Env returns the environment variable of a flag that concerns the machine or a cluster's task; other flags have none.
func Env(name string) []string { return []string{"LOSSCORR_" + name} }

// Overrides turns flags into overrides of the configuration, and appends those
// of the command line, which win.
func Overrides(c *cli.Context, given []string) ([]string, error) {
	var out []string
	for _, f := range []struct {
		name, key string
		value     func(text string) (string, error)
	}{
		{"device", "device", quoted}, {"data", "data", quoted}, {"seeds", "seed", parseSeeds},
		{"preset", "preset", quotedList}, {"loss", "loss", quotedList}, {"noise", "noise", parseNoises},
	} {
		text := c.String(f.name)
		if text == "" {
			continue
		}
		value, err := f.value(text)
		if err != nil {
			return nil, Misuse(c, "--%s %s: %v", f.name, text, err)
		}
		out = append(out, f.key+"="+value)
	}
	return append(out, given...), nil
}

func quoted(text string) (string, error) { return strconv.Quote(text), nil }

func quotedList(text string) (string, error) {
	words := strings.Split(text, ",")
	for i, w := range words {
		words[i] = strconv.Quote(strings.TrimSpace(w))
	}
	return "[" + strings.Join(words, ", ") + "]", nil
}

// FromEnvironment reports whether a flag is set by its environment variable and not on the command line.
func FromEnvironment(c *cli.Context, name string) bool {
	args, _ := c.App.Metadata[ArgsKey].([]string)
	typed := slices.ContainsFunc(args, func(arg string) bool {
		flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return flag == name && strings.HasPrefix(arg, "-")
	})
	return os.Getenv(Env(strings.ToUpper(strings.ReplaceAll(name, "-", "_")))[0]) != "" && !typed
}

func parseNoises(text string) (string, error) {
	var items []string
	for word := range strings.SplitSeq(text, ",") {
		n, err := NoiseOf(word)
		if err != nil {
			return "", err
		}
		item := fmt.Sprintf("{kind: %s, level: %v", n.Kind, n.Level)
		if n.File != "" {
			item += ", file: " + strconv.Quote(n.File)
		}
		items = append(items, item+"}")
	}
	return "[" + strings.Join(items, ", ") + "]", nil
}

// NoiseOf reads a noise that is to be drawn, which needs its level.
func NoiseOf(word string) (config.Noise, error) {
	n, err := config.ParseNoise(word)
	switch kind := correction.Noises.Named(n.Kind); {
	case err != nil:
		return n, err
	case kind.File && n.File == "":
		return n, fmt.Errorf("noise %s has no file: give that of T, such as %s:T.csv", n.Kind, n.Kind)
	case kind.Level && !strings.Contains(word, ":"):
		return n, fmt.Errorf("noise %s has no level: give its share, such as %s:.2", n.Kind, n.Kind)
	}
	return n, nil
}

// maxSeeds bounds a range of seeds: a longer one is a slip of the keyboard.
const maxSeeds = 10_000

// parseSeeds reads a list of seeds and ranges of them, such as 1,2 or 1-5.
func parseSeeds(text string) (string, error) {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			high = low
		}
		first, err := strconv.ParseUint(low, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q: want seeds such as 1,2 or 1-5", part)
		}
		last, err := strconv.ParseUint(high, 10, 64)
		if err != nil || last < first {
			return "", fmt.Errorf("%q is not a range of seeds; want one such as 1-5", part)
		}
		if last-first >= maxSeeds {
			return "", fmt.Errorf("%q are more than %d seeds", part, maxSeeds)
		}
		for n := range last - first + 1 {
			out = append(out, strconv.FormatUint(first+n, 10))
		}
	}
	return "[" + strings.Join(out, ", ") + "]", nil
}

// Split separates names from key=value overrides. A path is a name, such as ./lr=.1/c.yaml.
func Split(args []string) (names, given []string) {
	for _, a := range args {
		if key, _, ok := strings.Cut(a, "="); ok && !strings.Contains(key, "/") {
			given = append(given, a)
		} else {
			names = append(names, a)
		}
	}
	return names, given
}
