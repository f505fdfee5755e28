package app

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/config"
)

// Arguments returns a usage error unless there are least to most arguments. missing is its text if there are too few.
func Arguments(c *cli.Context, least, most int, missing string) error {
	switch {
	case c.NArg() < least:
		return Misuse(c, "%s", missing)
	case c.NArg() > most:
		return Misuse(c, "unexpected argument %q", c.Args().Get(most))
	}
	return nil
}

// Needs returns a usage error if one of flags is set without the flag they depend on. usage is that flag with its
// value, such as "accept SHARE".
func Needs(c *cli.Context, usage string, flags ...string) error {
	owner, _, _ := strings.Cut(usage, " ")
	if at := slices.IndexFunc(flags, c.IsSet); at >= 0 && !c.IsSet(owner) {
		return Misuse(c, "--%s needs --%s", flags[at], usage)
	}
	return nil
}

// OneOf returns a usage error if the value of a flag is neither empty nor one of choices.
func OneOf(c *cli.Context, flag string, choices []string) error {
	text := c.String(flag)
	if text == "" || slices.Contains(choices, text) {
		return nil
	}
	return Misuse(c, "--%s %q is not one of %s%s", flag, text, strings.Join(choices, ", "), config.Suggest(text, choices))
}
