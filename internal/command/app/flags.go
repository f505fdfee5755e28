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
)

// RunFlags returns the flags shared by all commands that train.
func RunFlags(out string) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "out", Usage: "folder of the runs", DefaultText: out},
		JobsFlag(0),
		&cli.BoolFlag{Name: "dry-run", Usage: "print the runs and do nothing"},
		&cli.BoolFlag{Name: "json", Usage: "print results as JSON"},
	}, WorkFlags(), Narrowing())
}

// WorkFlags returns the flags for how runs are done.
func WorkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "offline", Usage: "do not download missing data sets", EnvVars: Env("OFFLINE")},
		MaxBadFlag(),
		&cli.DurationFlag{
			Name: "checkpoint-every", Usage: "shortest time between checkpoints (0: one after each epoch)",
			Value: grid.DefaultCheckpointEvery, EnvVars: Env("CHECKPOINT_EVERY"),
		},
		&cli.StringFlag{Name: "resume", Value: ResumeAuto,
			Usage: "auto: resume unfinished runs; force: repeat all runs, even finished ones"},
		&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
	}
}

// CheckWork refuses bad values of the WorkFlags. Commands call it before they read a user's
// data.
func CheckWork(c *cli.Context) error {
	if n := c.Int("workers"); n < 0 {
		return Misuse(c, "--jobs %d is negative; use 0 for one run per core", n)
	}
	if every := c.Duration("checkpoint-every"); every < 0 {
		return Misuse(c, "--checkpoint-every %v is negative; use 0 for one after each epoch", every)
	}
	if lease := c.Duration("lease"); lease != 0 && lease < time.Second {
		return Misuse(c, "--lease %v is too short to tell live processes from dead ones; use at least 1s", lease)
	}
	return OneOf(c, "resume", []string{ResumeAuto, ResumeForce})
}

// The values of --resume.
const (
	ResumeAuto  = "auto"
	ResumeForce = "force"
)

// MaxBadFlag returns the flag for how many broken examples may be left out.
func MaxBadFlag() cli.Flag {
	return &cli.IntFlag{
		Name: "max-bad", Usage: "how many broken images and unlabelled examples may be left out",
		Action: func(c *cli.Context, n int) error {
			if n < 0 {
				return Misuse(c, "--max-bad %d is negative", n)
			}
			return nil
		},
	}
}

// JobsFlag returns the flag for the number of runs at a time.
func JobsFlag(value int) cli.Flag {
	return &cli.IntFlag{
		Name: "workers", Aliases: []string{"jobs"}, Value: value, Usage: "runs at a time (0: one per core, or one per GPU)",
	}
}

// Narrowing returns the flags for what to run, and where.
func Narrowing() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "device", Usage: "cpu, cuda or cuda:N", EnvVars: Env("DEVICE")},
		&cli.StringFlag{Name: "data", Usage: "folder of the data sets", EnvVars: Env("DATA")},
	}, Choosing()...)
}

// Choosing returns the flags for what to run.
func Choosing() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "seeds", Usage: "seeds, such as 1,2 or 1-5"},
		&cli.StringFlag{Name: "preset", Usage: "preset: " + strings.Join(config.Presets, ", ")},
		&cli.StringFlag{Name: "noise", Usage: "kind:level, such as asymmetric:.6, or several separated by commas"},
		&cli.StringFlag{Name: "loss", Usage: "one or several of " + strings.Join(config.Losses(), ", ")},
	}
}

// Env returns the environment variable of a flag. Only flags about the machine or a cluster task have one.
func Env(name string) []string { return []string{"LOSSCORR_" + name} }

// Overrides turns flags into overrides of the configuration, and appends given,
// which takes precedence.
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

// FromEnvironment reports whether a flag's value comes from its environment variable.
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

// NoiseOf parses a noise with its level or file, such as symmetric:.2.
func NoiseOf(word string) (config.Noise, error) {
	n, err := config.ParseNoise(word)
	switch kind := correction.Noises.Named(n.Kind); {
	case err != nil:
		return n, err
	case kind.File && n.File == "":
		return n, fmt.Errorf("noise %s needs a file with T, such as %s:T.csv", n.Kind, n.Kind)
	case kind.Level && !strings.Contains(word, ":"):
		return n, fmt.Errorf("noise %s needs a level, such as %s:.2", n.Kind, n.Kind)
	}
	return n, nil
}

// maxSeeds limits a range of seeds, since a longer one is a typing error.
const maxSeeds = 10_000

// parseSeeds parses a list of seeds and ranges, such as 1,2 or 1-5.
func parseSeeds(text string) (string, error) {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			high = low
		}
		first, err := strconv.ParseUint(low, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q: give seeds such as 1,2 or 1-5", part)
		}
		last, err := strconv.ParseUint(high, 10, 64)
		if err != nil || last < first {
			return "", fmt.Errorf("%q is not a range of seeds, such as 1-5", part)
		}
		if last-first >= maxSeeds {
			return "", fmt.Errorf("%q has more than %d seeds", part, maxSeeds)
		}
		for n := range last - first + 1 {
			out = append(out, strconv.FormatUint(first+n, 10))
		}
	}
	return "[" + strings.Join(out, ", ") + "]", nil
}

// Split separates names from key=value overrides. Paths such as ./lr=.1/c.yaml are names.
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
