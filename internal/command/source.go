package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/annotations"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
)

// sourceFlags returns the flags that describe a user's own data, one for each entry of own.Fields. Every command that
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

// sourceOf returns the source described by the argument DATA and the flags.
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

// classNames returns the entries of --class-names or, if the value has no "=", of the file it names.
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
		return nil, fmt.Errorf("--class-names takes NUMBER=NAME,... or a file of them: %w", err)
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

// onePath returns the source described by exactly one DATA and the flags.
func onePath(c *cli.Context, names []string) (own.Source, error) {
	switch len(names) {
	case 0:
		if c.String("probabilities") == "" && c.String("answers") == "" {
			return own.Source{}, app.Misuse(c, "DATA is missing: a folder or archive of images, a table, or an NPY file")
		}
		if c.String("labels") == "" && c.String("answers") == "" {
			return own.Source{}, app.Misuse(c, "--probabilities needs DATA, or --labels FILE with the labels of the examples")
		}
		names = []string{""}
	case 1:
	default:
		return own.Source{}, app.Misuse(c, "unexpected argument %q", names[1])
	}
	s, err := sourceOf(c, names[0])
	if err != nil {
		return s, err
	}
	if err := locate(&s); err != nil {
		return s, err
	}
	if _, annotated := annotations.Of(s.Path); !annotated && s.ID == "" &&
		strings.EqualFold(filepath.Ext(s.Path), rows.TasksEnding) {
		s.ID = "id" // as label tools name it
	}
	return s.Described(), nil
}

// locate makes the paths of a source absolute, and returns an error if one does not exist.
func locate(s *own.Source) error {
	for _, path := range s.Paths() {
		if err := app.IsThere(*path); err != nil {
			return err
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = abs
	}
	return nil
}
