package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
	"github.com/losscorr/losscorr/internal/shell"
)

// classesFlag names the columns of --probabilities.
func classesFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "classes", EnvVars: env("CLASSES"),
		Usage: "the classes of the columns of --probabilities, where the file does not name them: a,b,c, or a FILE.txt with one per line (default: in the order of their numbers or names)",
	}
}

// checkProbabilities refuses what is known to be wrong of --probabilities before data is read.
func checkProbabilities(c *cli.Context, source own.Source, given []string) error {
	file := c.String("probabilities")
	if file == "" {
		if c.IsSet("classes") {
			return usage(helpName(c), "--classes names the columns of --probabilities, which is missing")
		}
		return nil
	}
	if idle := ofNetworks(c, given); len(idle) > 0 {
		return usage(helpName(c), "--probabilities trains no network, so that %s would have no effect: leave it out, or leave out --probabilities", strings.Join(idle, ", "))
	}
	if err := isThere(file); err != nil {
		return err
	}
	return checkNames(source, file)
}

// ofNetworks lists what the command line says of networks.
func ofNetworks(c *cli.Context, given []string) []string {
	var out []string
	for _, flag := range []string{"model", "folds", "device", "backbone"} {
		if _, outside := fromEnvironment(c, flag); !outside && c.IsSet(flag) {
			out = append(out, "--"+flag)
		}
	}
	for _, setting := range given {
		key, _, _ := strings.Cut(setting, "=")
		if part, _, _ := strings.Cut(key, "."); part != "estimator" && part != "seed" {
			out = append(out, setting)
		}
	}
	return out
}

// readProbabilities reads the file of --probabilities. warning is "" where its columns fit the
// labels; it is an error if they are taken in the order of the classes and another one fits far
// better.
func readProbabilities(c *cli.Context, source own.Source, d *dataset.Dataset) (p []float32, warning string, err error) {
	file := c.String("probabilities")
	columns, err := columnClasses(c.String("classes"))
	if err != nil {
		return nil, "", dataset.Errorf("--classes: %w", err)
	}
	p, named, err := source.ReadProbabilities(file, d.Train.IDs, d.Classes, columns)
	if err != nil {
		return nil, "", dataset.Errorf("%w", err)
	}
	fit, differs := correction.FitColumns(p, d.Train.Labels, len(d.Classes))
	known := named || columns != nil
	if !differs || known && !fit.Far {
		return p, "", nil
	}
	fitted := make([]string, len(d.Classes)) // by column
	var lines []string
	for j, i := range fit.Order {
		if fitted[j] = d.Classes[i]; i != j {
			lines = append(lines, fmt.Sprintf("%q fits %q", d.Classes[j], d.Classes[i]))
		}
	}
	text := fmt.Sprintf("columns of %s fit the labels in another order: what is taken for %s. Of %d examples the label has a mean probability of %.2f, and of %.2f in the other order",
		file, firstFew(lines, 12), fit.Examples, fit.Assumed, fit.Fitted)
	switch {
	case known:
		return p, text + ". Look whether the names of the columns are right", nil
	case !fit.Far:
		return p, text + ". So many wrong labels explain this, too; if the order is wrong, name the columns with --classes", nil
	}
	return nil, "", dataset.Errorf("%s. The file does not name its columns, which are taken in the order of the classes, %s; they seem to be %s. Give --classes %s, or --classes %s if the first order is right", text, strings.Join(d.Classes, ", "), strings.Join(fitted, ", "), typed(fitted), typed(d.Classes))
}

// columnClasses returns the classes of --classes, nil without it.
func columnClasses(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if strings.EqualFold(filepath.Ext(text), ".txt") {
		return own.ReadClasses(text)
	}
	names := strings.Split(text, ",")
	for k, name := range names {
		names[k] = strings.TrimSpace(name)
	}
	return names, nil
}

// typed returns the value of --classes as one types it.
func typed(classes []string) string {
	text := strings.Join(classes, ",")
	if len(text) > 500 || strings.Count(text, ",") >= len(classes) {
		return "FILE.txt with one class per line in this order"
	}
	return shell.Word(text)
}

// firstFew joins the first of some texts.
func firstFew(texts []string, most int) string {
	if len(texts) > most {
		return strings.Join(texts[:most], ", ") + fmt.Sprintf(" and %d more", len(texts)-most)
	}
	return strings.Join(texts, ", ")
}
