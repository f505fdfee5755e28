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

// sourceFlags say how a user's own data is read. Every command that takes DATA has them.
func sourceFlags() []cli.Flag {
	variable := func(name string) []string { return env(strings.ToUpper(strings.ReplaceAll(name, "-", "_"))) }
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: "DATA", EnvVars: variable(name)}
	}
	number := func(name, usage string) cli.Flag {
		return &cli.IntFlag{Name: name, Usage: usage, Category: "DATA", EnvVars: variable(name)}
	}
	return []cli.Flag{
		text("backbone", "`FILE` of a pretrained network, whose features of images are learned from: FILE.pt2 of torch.export.save, or ResNet-50's weights (.safetensors)"),
		text("labels", "`FILE` of the labels: a table, NPY, or text with one per line"),
		text("test", "test examples: a folder, archive, table or NPY"),
		text("test-labels", "`FILE` of the labels of the test examples"),
		text("label", "`COLUMN` of the labels (default: label)"),
		text("id", "`COLUMN` of the names of the examples; one without a name is \"Unnamed: N\", by its place from 0"),
		text("text", "`COLUMN` of the texts"),
		text("features", "`COLUMNS` of numbers, as a,b,c or first-last"),
		text("split", "`COLUMN` that says train, val or test"),
		text("truth", "`COLUMN` of true labels, where they are known"),
		text("trusted-column", "`COLUMN` that says whether the label is known to be right"),
		text("group", "`COLUMN` of groups, each of which stays in one fold"),
		text("class-names", "names of classes that are numbers, as 0=hate,1=none, or a `FILE` with one such entry per line"),
		number("side", "height and width in pixels to which images are resized (0: chosen from the data)"),
		number("vocabulary", "number of words that have a vector (0: chosen from the data)"),
		number("words", "number of words of a text that are used (0: chosen from the data)"),
	}
}

// sourceOf returns the source that the argument DATA and the flags describe.
func sourceOf(c *cli.Context, path string) own.Source {
	s := own.Source{
		Path: path, Labels: c.String("labels"), Test: c.String("test"), TestLabels: c.String("test-labels"),
		Label: c.String("label"), ID: c.String("id"), Text: c.String("text"), Split: c.String("split"),
		Truth: c.String("truth"), Trusted: c.String("trusted-column"), Group: c.String("group"),
		Backbone: c.String("backbone"), Side: c.Int("side"), Vocabulary: c.Int("vocabulary"), Words: c.Int("words"),
	}
	if names := c.String("features"); names != "" {
		s.Features = strings.Split(names, ",")
	}
	return s
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
