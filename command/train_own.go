package command

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/pipeline"
	"github.com/losscorr/losscorr/store"
)

// ownFlags are those of training on a user's own data.
func ownFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "network (default: by the kind of the data)", Category: "DATA", EnvVars: env("MODEL")},
		trustedFlag("DATA"),
		&cli.StringFlag{Name: "audit", Usage: "`FOLDER` of an audit, whose T_hat.csv corrects the loss, and whose data is read where DATA is missing", Category: "DATA", EnvVars: env("AUDIT")},
	}
}

// trustedFlag names files of labels that people have checked.
func trustedFlag(category string) cli.Flag {
	return &cli.StringSliceFlag{
		Name: "trusted", Category: category, EnvVars: env("TRUSTED"),
		Usage: "`FILE` of labels that people have checked: decisions.csv of losscorr review, or a table with id and label; may be given several times",
	}
}

// readTrusted reads the labels of the files of trustedFlag. Of an example in several files
// the last one holds.
func readTrusted(c *cli.Context, s own.Source) (map[string]audit.Decision, error) {
	if err := checkNames(s, c.StringSlice("trusted")...); err != nil {
		return nil, err
	}
	all := map[string]audit.Decision{}
	for _, file := range c.StringSlice("trusted") {
		labels, err := audit.ReadTrusted(file, s)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, labels)
	}
	return all, nil
}

// checkNames returns an error if a file names examples in a column id, and the data has such names,
// too, which it is not told to use: the file would be taken to name rows.
func checkNames(s own.Source, files ...string) error {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !rows.Is(file) || audit.IsDecisions(file) })
	if len(files) == 0 {
		return nil
	}
	column := s.OtherNames()
	if column == "" {
		return nil
	}
	for _, file := range files {
		r, err := rows.Open(file)
		if err != nil {
			continue // who reads it will say why
		}
		named := r.Has("id")
		r.Close()
		if named {
			return dataset.Errorf("%s names examples in its column id, and those of %s are named by the numbers of their rows: give --id %s", file, s.Path, shell.Word(column))
		}
	}
	return nil
}

// forOwnData refuses the flags of own data beside a configuration, which they do not change.
func forOwnData(c *cli.Context, file string) error {
	for _, flag := range slices.Concat(ownFlags(), sourceFlags()) {
		name := flag.Names()[0]
		if _, outside := fromEnvironment(c, name); outside || !c.IsSet(name) {
			continue
		}
		hint := ""
		if key, ok := setting(name); ok {
			hint = fmt.Sprintf("; write it as a setting, %s=VALUE", key)
		}
		return usage(helpName(c), "--%s is for your own data, and %s is a configuration%s", name, file, hint)
	}
	return nil
}

// isOwn reports whether the arguments name a user's own data, not a configuration.
func isOwn(c *cli.Context) bool {
	names, _ := split(c.Args().Slice())
	if len(names) == 0 {
		return c.String("audit") != ""
	}
	return !slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(names[0])))
}

// manyEpochs stands for the number of epochs, which depends on the size of the data, so that
// the other settings can be checked before the data is read.
const manyEpochs = "epochs=1000"

// trainOwn does Algorithm 1 on a user's own data: cross-entropy, and the loss corrected by
// the T that is estimated from it.
func (p Program) trainOwn(c *cli.Context) error {
	names, given := split(c.Args().Slice())
	source, transition, err := trainingSource(c, names)
	if err != nil {
		return err
	}
	out := outFolder(c, nameOf(source))
	if isRoot(out) {
		return usage(helpName(c), "--out %s is the root of the file system: choose another folder", out)
	}
	if inside(out, source.Path) {
		return usage(helpName(c), "the folder of the runs %s is inside of the data: choose another with --out", out)
	}
	flags, err := overrides(c, given)
	if err != nil {
		return err
	}
	kind, err := source.Kind()
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	loss := "forward-estimated"
	if transition != "" {
		loss = "forward"
	}
	settings := []string{"preset=fixed", fmt.Sprintf("loss=[%s, %s]", losses.FirstLoss, loss)}
	if model := c.String("model"); model != "" {
		settings = append(settings, "model="+strconv.Quote(model))
	}
	checked, err := checkTraining(c, source, settings, flags)
	if err != nil {
		return err
	}
	data, err := openOwn(c.Context, source, dataset.Options{Offline: true, MaxBad: c.Int("max-bad"), Progress: p.reading(c)})
	if err != nil {
		return err
	}
	if err := enough(checked, data); err != nil {
		return err
	}
	settings = append(settings, sized(checked, kind, data.Train.Len())...)
	trusted, err := p.writeTrusted(c, source, data, out)
	if err != nil {
		return err
	}
	if trusted != "" {
		settings = append(settings, "trusted="+strconv.Quote(trusted))
	}
	configs, err := ownConfigs(source, append(settings, flags...))
	if err != nil {
		return err
	}
	warm := !slices.ContainsFunc(given, func(text string) bool { return strings.HasPrefix(text, "warmup_epochs=") })
	for k := range configs {
		if warm && configs[k].Epochs > 1 { // keeps most networks out of forward's trap, as in an audit
			configs[k].WarmupEpochs = 1
		}
		if configs[k].LossEntry().T == losses.KnownT {
			configs[k].Transition = cmp.Or(configs[k].Transition, transition)
		}
	}
	return p.trainAll(c, store.NewPlan(configs), out, "", flags)
}

// sized returns the settings that depend on the number n of training examples; c has the others.
func sized(c config.Config, kind dataset.Kind, n int) []string {
	trained, _ := pipeline.Parts(c, n)
	return []string{fmt.Sprintf("epochs=%d", audit.Epochs(kind, n)), fmt.Sprintf("batch_size=%d", audit.BatchSize(c.BatchSize, trained))}
}

// enough returns an error if data has too few examples for a training and a validation set.
func enough(c config.Config, data *dataset.Dataset) error {
	fits := func(n int) bool {
		train, held := pipeline.Parts(c, n)
		return train > 0 && held > 0
	}
	n := data.Train.Len()
	if fits(n) {
		return nil
	}
	for least := n + 1; least < 1000; least++ {
		if fits(least) {
			return dataset.Errorf("%d training examples are too few: networks need %d at least, and a few hundred for a useful result", n, least)
		}
	}
	return nil // the settings are at fault, and refused as such
}

// checkTraining refuses what can be known to be wrong before the data is read, and returns the
// configuration of the first run but for what depends on the data.
func checkTraining(c *cli.Context, source own.Source, settings, flags []string) (config.Config, error) {
	if err := checkWork(c); err != nil {
		return config.Config{}, err
	}
	before := append(slices.Clone(settings), manyEpochs)
	files := c.StringSlice("trusted")
	if len(files) > 0 || source.Trusted != "" {
		before = append(before, "trusted=1") // in place of the labels that the data will give
	}
	for _, file := range files {
		if err := isThere(file); err != nil {
			return config.Config{}, err
		}
	}
	configs, err := ownConfigs(source, append(before, flags...))
	if err != nil {
		return config.Config{}, err
	}
	return configs[0], nil
}

// trainingSource returns the data that the arguments describe, and the T_hat.csv of the
// audit that --audit names, "" without one.
func trainingSource(c *cli.Context, names []string) (s own.Source, transition string, err error) {
	dir := c.String("audit")
	if dir == "" {
		s, err = onePath(c, names)
		return s, "", err
	}
	folder, err := audit.Open(dir)
	if err != nil {
		return s, "", err
	}
	summary, err := folder.Summary()
	if err != nil {
		return s, "", err
	}
	if summary.Weak {
		return s, "", dataset.Errorf("the audit in %s found its networks too weak to estimate T-hat: audit with stronger ones (its report.html says how), or train without --audit", dir)
	}
	if _, err := folder.Transition(); err != nil {
		return s, "", err
	}
	if transition, err = filepath.Abs(folder.Path(audit.TransitionFile)); err != nil {
		return s, "", err
	}
	if len(names) > 0 {
		s, err = onePath(c, names)
		return s, transition, err
	}
	if summary.Source.Path == "" {
		err = usage(helpName(c), "DATA is missing: the audit in %s was of probabilities, without the examples", dir)
	}
	return summary.Source, transition, err
}

// ownConfigs returns the runs on a user's own data.
func ownConfigs(s own.Source, given []string) ([]config.Config, error) {
	doc, err := config.FromOverrides(append(sourceSettings(s), given...)...)
	if err != nil {
		return nil, err
	}
	return doc.Expand()
}

// writeTrusted writes the known labels of the data and of --trusted into the folder of the
// runs, as the configuration's trusted wants them, and returns the path of the file: "" if
// there are none. Its name has a hash of the labels, so that runs with other ones are told
// apart and keep theirs.
func (p Program) writeTrusted(c *cli.Context, source own.Source, data *dataset.Dataset, out string) (path string, err error) {
	labels, err := readTrusted(c, source)
	if err != nil {
		return "", err
	}
	known, warnings, err := audit.Known(data, labels)
	for _, warning := range warnings {
		fmt.Fprintf(p.Stderr, "warning: %s\n", warning)
	}
	if err != nil || len(known) == 0 {
		return "", err
	}
	var text bytes.Buffer
	table := csv.NewWriter(&text)
	_ = table.Write([]string{"index", "label"}) // into memory: no error
	for _, k := range known {
		_ = table.Write([]string{strconv.Itoa(k.Index), data.Classes[k.Label]})
	}
	table.Flush()
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", fmt.Errorf("make the folder of the runs: %w", err)
	}
	hash := sha256.Sum256(text.Bytes())
	if path, err = filepath.Abs(filepath.Join(out, fmt.Sprintf("trusted-%x.csv", hash[:4]))); err != nil {
		return "", err
	}
	return path, files.Write(path, text.Bytes(), 0o666)
}
