package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// sourceFlags say how a user's own data is read, one for each entry of own.Fields. Every command that
// takes DATA has them.
func sourceFlags() (flags []cli.Flag) {
	for _, f := range own.Fields {
		switch variable := env(strings.ToUpper(strings.ReplaceAll(f.Flag, "-", "_"))); {
		case f.Flag == "":
		case f.Kind == own.Count:
			flags = append(flags, &cli.IntFlag{Name: f.Flag, Usage: f.Help, Category: "DATA", EnvVars: variable})
		default:
			flags = append(flags, &cli.StringFlag{Name: f.Flag, Usage: f.Help, Category: "DATA", EnvVars: variable})
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
			return nil, usage(helpName(c), "--class-names: %v", err)
		}
		return names, nil
	}
	if err := isThere(text); err != nil {
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

// overwrites returns an error if the output would replace a file that is read.
func overwrites(out string, inputs ...string) error {
	to, err := os.Stat(out)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to replace
	}
	for _, path := range inputs {
		if from, err := os.Stat(path); path != "" && err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s is read, and would be replaced: choose another place with --out", out)
		}
	}
	return nil
}

// foreign returns an error if a folder in which nothing of a kind has been written has files that
// it would replace.
func foreign(folder, what, kind string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("the %s would replace %s, which is not one of %s: choose another folder with --out", what, path, kind)
		}
	}
	return nil
}

// isRoot reports whether a folder is that of a whole file system.
func isRoot(folder string) bool {
	abs, err := filepath.Abs(folder)
	return err == nil && abs == filepath.Dir(abs)
}

// isThere is the error of a path that does not exist.
func isThere(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return dataset.Errorf("%s: no such file or folder", path)
	}
	return nil
}
