package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// sourceFlags say how a user's own data is read, one for each entry of own.Fields. Every command that
// takes DATA has them.
func sourceFlags() (flags []cli.Flag) {
	for _, f := range own.Fields {
		switch {
		case f.Flag == "":
		case f.Kind == own.Count:
			flags = append(flags, &cli.IntFlag{Name: f.Flag, Usage: f.Help, Category: "DATA"})
		default:
			flags = append(flags, &cli.StringFlag{Name: f.Flag, Usage: f.Help, Category: "DATA"})
		}
	}
	return flags
}

// sourceOf returns the source that the argument DATA and the flags describe.
func sourceOf(c *cli.Context, data string) (own.Source, error) {
	s := own.Source{Path: data}
	for _, f := range own.Fields {
		if f.Flag == "" {
			continue
		}
		switch text := c.String(f.Flag); {
		case f.Kind == own.Count:
			*f.Number(&s) = c.Int(f.Flag)
		case f.Kind != own.List:
			*f.Text(&s) = text
		case text != "":
			*f.List(&s) = strings.Split(text, ",")
		}
	}
	var err error
	s.ClassNames, err = classNames(c, c.String("class-names"))
	return s, err
}

// classNames returns the value of --class-names: its entries, or those of a file, whose name has no "=".
func classNames(c *cli.Context, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if strings.Contains(text, "=") {
		names := strings.Split(text, ",")
		if err := (own.Source{ClassNames: names}).CheckClassNames(); err != nil {
			return nil, app.Misuse(c, "--class-names: %v", err)
		}
		return names, nil
	}
	if err := app.IsThere(text); err != nil {
		return nil, fmt.Errorf("--class-names, which are NUMBER=NAME,... or a file of them: %w", err)
	}
	names, err := own.ReadClasses(text)
	if err == nil {
		err = own.Source{ClassNames: names}.CheckClassNames()
	}
	if err != nil {
		return nil, dataset.Errorf("--class-names %s: %w", text, err)
	}
	return names, nil
}
