package app

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/config"
)

// completionFlag is appended by the shell's completion to ask for words.
const completionFlag = "--generate-bash-completion"

// Permute moves flags before arguments at each level of commands. The flag parser
// takes everything after the first argument as an argument, so without Permute
// `train a.yaml --dry-run` would start a real run. It refuses unknown flags and
// commands, with a suggestion.
func Permute(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 || args[len(args)-1] == completionFlag {
		return args, nil
	}
	out := []string{args[0]}
	top := &cli.Command{Flags: app.Flags, Subcommands: app.Commands, ArgsUsage: app.ArgsUsage}
	level := level{top, app.Name}
	var flags, rest []string
	for i := 1; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if slices.Contains([]string{"--help", "-help", "-h", "--h"}, arg) {
			return append(out, arg), nil // show this level's help; cli would take an argument for a help topic
		}
		if strings.HasPrefix(arg, "-") && arg != "-" {
			n, err := level.flag(args[i:])
			if err != nil {
				return nil, err
			}
			flags = append(flags, args[i:i+n]...)
			i += n - 1
			continue
		}
		if len(level.Subcommands) == 0 {
			rest = append(rest, arg)
			continue
		}
		if arg == "help" || arg == "h" {
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				if _, err := level.command(args[i+1]); err != nil {
					return nil, err
				}
			}
			return append(append(out, flags...), args[i:]...), nil
		}
		next, err := level.command(arg)
		if err != nil {
			return nil, err
		}
		out, flags, level = append(append(out, flags...), arg), nil, next
	}
	out = append(out, flags...)
	if slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "-") }) {
		out = append(out, "--")
	}
	return append(out, rest...), nil
}

// level is the app or one of its commands; name includes the levels above.
type level struct {
	*cli.Command
	name string
}

func (l level) command(name string) (level, error) {
	var known []string
	for _, c := range l.Subcommands {
		if c.HasName(name) {
			return level{c, l.name + " " + c.Name}, nil
		}
		known = append(known, c.Name)
	}
	return level{}, Usage(l.name, "unknown command %q%s", name, config.Suggest(name, known))
}

// flag returns how many arguments the flag at the start of args uses.
func (l level) flag(args []string) (int, error) {
	name, _, inline := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	known := []string{"help", "version"}
	if name == "version" || name == "v" {
		return 1, nil
	}
	for _, f := range l.Flags {
		known = append(known, f.Names()...)
		if !slices.Contains(f.Names(), name) {
			continue
		}
		if _, isBool := f.(*cli.BoolFlag); inline || isBool {
			return 1, nil
		}
		if len(args) < 2 {
			return 0, Usage(l.name, "flag --%s needs a value", name)
		}
		if next, _, _ := strings.Cut(args[1], "="); strings.HasPrefix(next, "--") && l.has(next[2:]) {
			return 0, Usage(l.name, "flag --%s needs a value, and %s is a flag (--%s=%s if it is the value)", name, next, name,
				args[1])
		}
		return 2, nil
	}
	if key, ok := Setting(name); ok && strings.Contains(l.ArgsUsage, "key=value") {
		return 0, Usage(l.name, "unknown flag %s; write settings without dashes, such as %s=VALUE", args[0], key)
	}
	hint := config.Suggest(name, known)
	if len(name) == 1 {
		hint = "" // every short name is equally close
	}
	return 0, Usage(l.name, "unknown flag %s%s", args[0], strings.Replace(hint, `"`, `"--`, 1))
}

// has reports whether there is a flag of this name.
func (l level) has(name string) bool {
	return name == "help" || slices.ContainsFunc(l.Flags, func(f cli.Flag) bool {
		return slices.Contains(f.Names(), name)
	})
}

// Setting returns the configuration key that a mistaken flag probably meant.
func Setting(flag string) (key string, ok bool) {
	name := strings.ReplaceAll(flag, "-", "_")
	keys := config.Keys()
	if slices.Contains(keys, name) {
		return name, true
	}
	at := slices.IndexFunc(keys, func(key string) bool { return strings.HasSuffix(key, "."+name) })
	if at < 0 {
		return "", false
	}
	return keys[at], true
}

// OnUsageError turns an error of the flag parser into a UsageError.
func OnUsageError(c *cli.Context, err error, _ bool) error { return Misuse(c, "%v", err) }
