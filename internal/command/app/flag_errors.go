package app

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"
)

// OnUsageError says what the flag parser found wrong, as people write flags.
func OnUsageError(c *cli.Context, err error, _ bool) error {
	flags := c.App.Flags
	if c.Command != nil {
		flags = c.Command.Flags
	}
	return Misuse(c, "%s", reworded(flags, err.Error()))
}

// What the flag parser says.
var (
	badValue    = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-([\w-]+): `)
	badVariable = regexp.MustCompile(`^could not parse "(.*)" as (\w+) value from environment variable "(\w+)"`)
	twoForms    = regexp.MustCompile(`^Cannot use two forms of the same flag: (\S+) (\S+)$`)
)

// wanted is what a flag takes, by the parser's name of its type.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number from 0", "bool": "true or false",
	"duration": "a time with its unit, such as 10s or 5m",
}

func reworded(flags []cli.Flag, text string) string {
	if m := badValue.FindStringSubmatch(text); m != nil {
		if want := wanted[typeOf(flags, m[2])]; want != "" {
			return fmt.Sprintf("--%s %s: want %s", m[2], m[1], want)
		}
	}
	if m := badVariable.FindStringSubmatch(text); m != nil && wanted[m[2]] != "" {
		return fmt.Sprintf("%s=%s: want %s", m[3], m[1], wanted[m[2]])
	}
	if m := twoForms.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("--%s and --%s are the same flag: give one of them", m[1], m[2])
	}
	return text
}

func typeOf(flags []cli.Flag, name string) string {
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *cli.IntFlag:
			return "int"
		case *cli.Uint64Flag:
			return "uint64"
		case *cli.BoolFlag:
			return "bool"
		case *cli.DurationFlag:
			return "duration"
		}
	}
	return ""
}
