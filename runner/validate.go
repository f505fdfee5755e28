package runner

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
)

var deviceName = regexp.MustCompile(`^(cpu|cuda|cuda:[0-9]{1,3})$`)

// Validate reports everything wrong with a configuration as one *ConfigError,
// or nil.
func (c Config) Validate() error {
	var ps problems
	for _, p := range c.problems() {
		ps.put(p)
	}
	return ps.err()
}

// checks collects the problems of one configuration.
type checks struct{ list []Problem }

func (cs *checks) bad(key, format string, args ...any) {
	cs.list = append(cs.list, Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

func (cs *checks) name(key, what, got string, known []string) {
	if text := checkName(what, got, known); text != "" {
		cs.bad(key, "%s", text)
	}
}

// unless adds a problem where ok is false. Ranges are written as what holds, so
// that NaN fails them.
func (cs *checks) unless(ok bool, key, format string, args ...any) {
	if !ok {
		cs.bad(key, format, args...)
	}
}

func (c Config) problems() []Problem {
	cs := &checks{}
	cs.name("dataset", "data set", c.Dataset, Datasets)
	if !Exported(c.Model) {
		cs.name("model", "model", c.Model, Models)
	}
	cs.name("preset", "preset", c.Preset, Presets)
	cs.name("loss", "loss", c.Loss, Losses)
	cs.name("init", "initialiser", c.Init, Inits)
	cs.name("precision", "precision", c.Precision, Precisions)
	cs.unless(c.Precision != "float16" || strings.HasPrefix(c.Device, "cuda"), "precision", "float16 needs a GPU: set device to cuda, or precision to bfloat16")
	if models := presetModels(c.Dataset); models != nil && slices.Contains(Models, c.Model) && !slices.Contains(models, c.Model) {
		cs.bad("model", "%s does not go with data set %s; it has: %s", c.Model, c.Dataset, strings.Join(models, ", "))
	}
	cs.unless(c.Epochs >= 1, "epochs", "%d is too few; at least 1", c.Epochs)
	cs.unless(c.Batch >= 1, "batch", "%d is too small; at least 1", c.Batch)
	cs.unless(c.Steps >= 0, "steps", "%d is negative; 0 is one pass over the training set", c.Steps)
	cs.unless(c.Examples.Train >= 0, "examples.train", "%d is negative; 0 is all", c.Examples.Train)
	cs.unless(c.Examples.Test >= 0, "examples.test", "%d is negative; 0 is all", c.Examples.Test)
	cs.unless(c.Examples.Validation >= 0, "examples.validation", "%d is negative; 0 is all", c.Examples.Validation)
	cs.unless(c.Examples.Validation == 0 || c.ownValidation(), "examples.validation", "%s comes with no validation set; see validation.share", c.Dataset)
	cs.unless(c.Examples.Words >= 0, "examples.words", "%d is negative; 0 is all", c.Examples.Words)
	cs.unless(c.Examples.Words == 0 || c.Model == "lstm" || Exported(c.Model) && c.wordy(), "examples.words", "only lstm takes reviews of any length, not %s; remove it", c.Model)
	cs.unless(c.Dropout >= 0 && c.Dropout < 1, "dropout", "%v is not in [0, 1)", c.Dropout)
	cs.unless(c.Clip >= 0 && c.Clip < .5, "clip", "%v is not in [0, .5)", c.Clip)
	if c.ownValidation() {
		cs.unless(c.Validation.Share == 0, "validation.share", "%v has no effect: %s comes with a validation set; set it to 0", c.Validation.Share, c.Dataset)
	} else {
		cs.unless(c.Validation.Share > 0 && c.Validation.Share < 1, "validation.share", "%v is not in (0, 1)", c.Validation.Share)
	}
	cs.name("validation.from", "part", c.Validation.From, Holdouts)
	c.checkInput(cs)
	c.checkModel(cs)
	c.checkNoise(cs)
	c.Optimizer.check(cs)
	c.Estimator.check(cs)
	if n, drawn := c.trustedPerClass(); drawn {
		cs.unless(n >= 1, "trusted", "%d labels a class are too few; at least 1, or none to go by noisy labels alone", n)
	} else {
		cs.file("trusted", c.Trusted)
	}
	cs.file("weights", c.Weights)
	if c.Transition != "" {
		cs.unless(c.Loss == Forward || c.Loss == Backward, "transition", "is used by forward and backward only, not by %s; remove it", c.Loss)
		cs.file("transition", c.Transition)
	}
	cs.unless(c.Device == "" || deviceName.MatchString(c.Device), "device", "%q is not a device; want cpu, cuda or cuda:N", c.Device)
	if c.TF32 != "" {
		cs.name("tf32", "use of TF32", c.TF32, TF32s)
	}
	cs.unless(c.Workers >= 0, "workers", "%d is negative; 0 means one a core", c.Workers)
	return cs.list
}

// ownValidation reports whether a data set comes with a validation set.
func (c Config) ownValidation() bool { return strings.HasPrefix(c.Dataset, "clothing1m") }

// wordy reports whether a network reads word numbers.
func (c Config) wordy() bool {
	return c.Model == "embedding" || c.Model == "lstm" || Exported(c.Model) && c.Dataset == "imdb"
}

func (c Config) residual() bool { return strings.HasPrefix(c.Model, "resnet") }

func (c Config) checkInput(cs *checks) {
	cs.name("input", "input", c.Input, Inputs)
	cs.name("augment", "augmentation", c.Augment, Augments)
	if c.wordy() {
		cs.unless(c.Input == "words", "input", "%s reads words, not %s", c.Model, c.Input)
	} else if slices.Contains(Models, c.Model) || Exported(c.Model) {
		cs.unless(c.Input != "words", "input", "words is for the models embedding and lstm, not %s", c.Model)
	}
	if c.ownValidation() {
		cs.unless(c.Input == "imagenet", "input", "%s is streamed and takes imagenet only, not %s", c.Dataset, c.Input)
	}
	if c.Model == "mlp" {
		cs.unless(c.Input != "standard" && c.Input != "imagenet", "input", "%s is by channel, which %s's input has not", c.Input, c.Model)
	}
	if slices.Contains(Models, c.Model) && !c.residual() {
		cs.unless(c.Augment == "none", "augment", "%s needs images, which %s does not take; set it to none", c.Augment, c.Model)
	}
}

// checkModel is about settings that only some networks have.
func (c Config) checkModel(cs *checks) {
	if Exported(c.Model) {
		c.checkExported(cs)
		return
	}
	if !slices.Contains(Models, c.Model) {
		return
	}
	if c.wordy() {
		cs.unless(c.Vectors >= 1, "vectors", "%d is too narrow for word vectors; at least 1", c.Vectors)
		if c.Dropout > 0 {
			cs.name("dropout_of", "kind of dropout", c.DropoutOf, DropoutKinds)
			cs.unless(c.Model != "lstm" || c.DropoutOf == "channels", "dropout_of", "lstm drops channels only, not %s", c.DropoutOf)
		}
	} else {
		cs.unless(c.Vectors == 0, "vectors", "%s has no word vectors; remove it", c.Model)
		cs.unless(c.DropoutOf == "", "dropout_of", "is for word vectors, which %s has not; remove it", c.Model)
	}
	if c.residual() {
		cs.unless(c.Dropout == 0, "dropout", "%s has none; set it to 0", c.Model)
	}
	cs.unless(!c.ConvBias || c.residual() && c.Model != "resnet50", "conv_bias", "%s takes none; set it to false", c.Model)
}

func (c Config) checkNoise(cs *checks) {
	n := c.Noise
	if n.Groups != "" {
		cs.name("noise.groups", "grouping", n.Groups, Groupings)
		cs.unless(c.Dataset == "cifar100", "noise.groups", "the classes of %s come in no groups; remove it", c.Dataset)
	}
	cs.name("noise.kind", "noise", n.Kind, NoiseKinds)
	if slices.Contains(Datasets, c.Dataset) && slices.Contains(NoiseKinds, n.Kind) {
		c.checkNoiseOfData(cs)
	}
	cs.unless(n.Level >= 0 && n.Level < 1, "noise.level", "%v is not in [0, 1); noise levels are shares, such as .2", n.Level)
	switch n.Kind {
	case "none":
		cs.unless(n.Level == 0, "noise.level", "%v has no effect with noise.kind none; set noise.kind, or the level to 0", n.Level)
	case "matrix":
		cs.unless(n.Level == 0, "noise.level", "%v has no effect with noise.kind matrix; the file holds the levels", n.Level)
		cs.unless(n.File != "", "noise.file", "noise.kind matrix needs the CSV file of T")
		cs.file("noise.file", n.File)
		return
	}
	cs.unless(n.File == "", "noise.file", "is read with noise.kind matrix only, not %s", n.Kind)
}

// checkNoiseOfData refuses noise that a data set cannot be given.
func (c Config) checkNoiseOfData(cs *checks) {
	const clean = "clothing1m-clean"
	if c.Dataset == "clothing1m" {
		// T is read off the pairs of labels, and knows nothing of noise on top.
		cs.unless(c.Noise.Kind == "none", "noise.kind", "the labels of clothing1m come with noise, and take none besides, such as %s: set it to none, or dataset to %s, which takes: %s",
			c.Noise.Kind, clean, strings.Join(noisesWithoutFlips, ", "))
		return
	}
	if c.Noise.Kind != "asymmetric" || c.Noise.Groups != "" {
		return
	}
	if c.Dataset == "cifar100" {
		cs.bad("noise.groups", "is empty; asymmetric noise of cifar100 needs %s", strings.Join(Groupings, " or "))
		return
	}
	if _, err := correction.Flips(c.Dataset); err != nil {
		cs.bad("noise.kind", "no asymmetric noise is known for %s; it takes: %s (whose T is a CSV file, noise.file)",
			c.Dataset, strings.Join(noisesWithoutFlips, ", "))
	}
}

func (cs *checks) file(key, path string) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		cs.bad(key, "no file %s", path)
		return
	}
	cs.unless(info.Mode().IsRegular(), key, "%s is not a file", path)
}

func (o Optimizer) check(cs *checks) {
	cs.name("optimizer.name", "optimizer", o.Name, Optimizers)
	cs.unless(o.LearningRate > 0, "optimizer.learning_rate", "%v is not above 0", o.LearningRate)
	cs.unless(o.Epsilon >= 0, "optimizer.epsilon", "%v is negative", o.Epsilon)
	cs.unless(o.WeightDecay >= 0, "optimizer.weight_decay", "%v is negative", o.WeightDecay)
	cs.unless(o.Momentum >= 0 && o.Momentum < 1, "optimizer.momentum", "%v is not in [0, 1)", o.Momentum)
	if slices.Contains(Optimizers, o.Name) && o.Name != "sgd" {
		cs.unless(o.Momentum == 0, "optimizer.momentum", "%v has no effect with %s; set it to 0", o.Momentum, o.Name)
	}
	for i, m := range o.Milestones {
		if m < 1 || i > 0 && m <= o.Milestones[i-1] {
			cs.bad("optimizer.milestones", "%v has to rise from at least 1", o.Milestones)
			break
		}
	}
}

func (e Estimator) check(cs *checks) {
	cs.name("estimator.name", "estimator", e.Name, Estimators)
	if e.Name == "percentile" {
		cs.unless(e.Quantile > 0 && e.Quantile < 1, "estimator.quantile", "%v is not in (0, 1); the paper uses .97", e.Quantile)
	}
	// class-quantile also stands beside the others.
	cs.unless(e.Kappa >= 0 && e.Kappa <= 1, "estimator.kappa", "%v is not in (0, 1]; 0 is the default, .3, which equals the .97 percentile at ten classes", e.Kappa)
	cs.unless(e.Average >= 0, "estimator.average", "%d is negative; 0 is the default, a hundredth of a class", e.Average)
}
