package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/models"
)

var deviceName = regexp.MustCompile(`^(cpu|cuda|cuda:[0-9]{1,3})$`)

// Validate returns everything that is wrong with a configuration as one
// *ConfigError, or nil.
func (c Config) Validate() error {
	return NewError(c.problems()...)
}

// checks collects the problems of one configuration.
type checks struct{ list []Problem }

func (cs *checks) bad(key, format string, args ...any) {
	cs.list = append(cs.list, Problem{Key: key, Text: fmt.Sprintf(format, args...)})
}

// name checks the value of a setting that is one of Choices.
func (cs *checks) name(key, got string) {
	if text := checkName(key, got); text != "" {
		cs.bad(key, "%s", text)
	}
}

// unless adds a problem if ok is false. Callers state the range that must hold, so
// that NaN fails.
func (cs *checks) unless(ok bool, key, format string, args ...any) {
	if !ok {
		cs.bad(key, format, args...)
	}
}

// ValidateNetwork is Validate of the settings that a trained network is used with.
func (c Config) ValidateNetwork() error {
	cs := &checks{}
	cs.name("dataset", c.Dataset)
	c.checkNetwork(cs)
	cs.name("precision", c.Precision)
	c.checkInput(cs)
	c.checkModel(cs)
	return NewError(cs.list...)
}

func (c Config) checkNetwork(cs *checks) {
	if !Exported(c.Model) {
		cs.name("model", c.Model)
	}
	cs.name("loss", c.Loss)
	cs.name("init", c.Init)
	cs.name("init_output", c.InitOutput)
	cs.unless(c.BatchSize >= 1, "batch_size", "%d is too small; at least 1", c.BatchSize)
	cs.unless(c.Dropout >= 0 && c.Dropout < 1, "dropout", "%v is not in [0, 1)", c.Dropout)
}

func (c Config) problems() []Problem {
	cs := &checks{}
	cs.name("dataset", c.Dataset)
	cs.name("preset", c.Preset)
	c.checkNetwork(cs)
	cs.name("precision", c.Precision)
	cs.unless(c.Precision != Float16 || strings.HasPrefix(c.Device, "cuda"), "precision",
		"float16 needs a GPU: set device to cuda, or precision to bfloat16")
	if known := ModelsOf(c.Dataset); known != nil && slices.Contains(Models, c.Model) && !slices.Contains(known, c.Model) {
		cs.bad("model", "%s does not go with data set %s; it has: %s", c.Model, c.Dataset, strings.Join(known, ", "))
	}
	c.checkEpochs(cs)
	c.checkExamples(cs)
	cs.unless(c.Clip >= 0 && c.Clip < .5, "clip", "%v is not in [0, .5)", c.Clip)
	c.checkSource(cs)
	c.checkInput(cs)
	c.checkModel(cs)
	c.checkNoise(cs)
	c.checkLoss(cs)
	c.Optimizer.check(cs)
	c.Estimator.check(cs)
	c.checkTrusted(cs)
	cs.file("weights", c.Weights)
	c.checkLossFiles(cs)
	cs.unless(c.Device == "" || deviceName.MatchString(c.Device), "device", "%q is not a device; want cpu, cuda or cuda:N",
		c.Device)
	cs.name("tf32", c.TF32)
	cs.name("record", c.Record)
	cs.unless(c.Workers >= 0, "workers", "%d is negative; 0 means one per core", c.Workers)
	return cs.list
}

func (c Config) checkEpochs(cs *checks) {
	cs.unless(c.Epochs >= 1, "epochs", "%d is too few; at least 1", c.Epochs)
	cs.unless(c.WarmupEpochs >= 0 && c.WarmupEpochs < max(c.Epochs, 1), "warmup_epochs",
		"%d is not in [0, %d), the number of epochs", c.WarmupEpochs, c.Epochs)
	cs.unless(c.StepsPerEpoch >= 0, "steps_per_epoch", "%d is negative; 0 is one pass over the training set",
		c.StepsPerEpoch)
}

// checkTrusted checks the known labels, and the estimators and losses that need them.
func (c Config) checkTrusted(cs *checks) {
	cs.unless(c.Trusted != "" || !estimators.All.Named(c.Estimator.Name).Trusted, "trusted",
		"estimator %s needs known labels of each class; give their number per class, or a CSV file", c.Estimator.Name)
	cs.unless(!estimators.All.Named(c.Estimator.Name).Triples || !Exported(c.Model), "estimator.name",
		"%s compares what the last layer gets, which an exported network does not give; name another estimator, such as "+
			"vertices", c.Estimator.Name)
	cs.unless(c.Trusted != "" || !c.LossEntry().Trusted, "trusted",
		"%s trains on known labels; give their number per class, random:N for N of all examples, or a CSV file", c.Loss)
	if n, perClass, drawn := c.TrustedDraw(); drawn {
		cs.unless(n >= 1, "trusted", "%d labels%s are too few; give at least 1, or remove it to use noisy labels alone", n,
			map[bool]string{true: " per class"}[perClass])
	} else if strings.HasPrefix(c.Trusted, randomTrusted) {
		cs.bad("trusted", "%q: want random:N, N examples drawn at random, such as random:20", c.Trusted)
	} else {
		cs.file("trusted", c.Trusted)
	}
}

// checkLossFiles checks the files of T and of the targets.
func (c Config) checkLossFiles(cs *checks) {
	loss := c.LossEntry()
	if c.Transition != "" {
		cs.unless(loss.T == losses.KnownT || c.Corrected != "", "transition", "is used by %s only, not by %s; remove it",
			and(losses.All.Which(func(e losses.Entry) bool { return e.T == losses.KnownT })), c.Loss)
		cs.file("transition", c.Transition)
	}
	cs.unless(c.Targets != "" || !loss.Targets, "targets",
		"%s trains on a distribution of classes for each example; give an NPY file of them [N C]", c.Loss)
	if c.Targets != "" {
		cs.unless(loss.Targets, "targets", "is used by %s only, not by %s; remove it",
			and(losses.All.Which(func(e losses.Entry) bool { return e.Targets })), c.Loss)
		cs.file("targets", c.Targets)
	}
}

// checkExamples checks how much of the data is used.
func (c Config) checkExamples(cs *checks) {
	e, share := c.Examples, c.Validation.Share
	if c.DataEntry().Validation {
		cs.unless(share == 0, "validation.share", "%v has no effect: %s comes with a validation set; set it to 0", share,
			c.Dataset)
	} else {
		cs.unless(share > 0 && share < 1, "validation.share", "%v is not in (0, 1)", share)
	}
	cs.name("validation.from", c.Validation.From)
	cs.unless(e.Train >= 0, "examples.train", "%d is negative; 0 is all", e.Train)
	cs.unless(e.Test >= 0, "examples.test", "%d is negative; 0 is all", e.Test)
	cs.unless(e.Validation >= 0, "examples.validation", "%d is negative; 0 is all", e.Validation)
	cs.unless(e.Validation == 0 || c.DataEntry().Validation, "examples.validation",
		"%s has no validation set of its own; see validation.share", c.Dataset)
	cs.unless(e.Words >= 0, "examples.words", "%d is negative; 0 is all", e.Words)
	cs.unless(e.Words == 0 || c.ModelEntry().AnyLength || Exported(c.Model) && c.readsWords(), "examples.words",
		"only %s takes reviews of any length, not %s; remove it",
		networks(func(e models.Entry) bool { return e.AnyLength }), c.Model)
}

// checkSource checks where a user's own data is. Its content is checked by
// run.Preflight.
func (c Config) checkSource(cs *checks) {
	s := c.Usual().Source
	if !c.DataEntry().Own {
		cs.unless(reflect.ValueOf(s).IsZero(), "source",
			"is read with dataset own only, not %s; remove it, or set dataset to own", c.Dataset)
	} else {
		kind, err := s.Kind()
		switch network := c.ModelEntry(); {
		case s.Path == "":
			cs.bad("source.path", "is empty; dataset own needs the folder or file of the data")
		case err != nil:
			cs.bad("source.path", "%v", err)
		case network.Name != "" && network.Input != inputOf(kind):
			cs.bad("model", "%s takes %s, and the data is %v", c.Model, network.Input, kind)
		}
		if err := s.CheckClassNames(); err != nil {
			cs.bad("source.class_names", "%v", err)
		}
		c.checkView(cs)
		for _, f := range own.Fields {
			cs.field(f, s)
		}
	}
	cs.unless(c.Folds.Count == 0 || c.Folds.Count >= 2, "folds.count", "%d is too few; at least 2, or 0 for none",
		c.Folds.Count)
	cs.unless(c.Folds.Out >= 0 && c.Folds.Out <= c.Folds.Count && (c.Folds.Out > 0) == (c.Folds.Count > 0), "folds.out",
		"%d is not one of the %d folds, counted from 1", c.Folds.Out, c.Folds.Count)
}

// field checks a field of own data by its kind.
func (cs *checks) field(f own.Field, s own.Source) {
	key := "source." + f.Key
	switch f.Kind {
	case own.Examples:
		if _, err := os.Stat(*f.Text(&s)); *f.Text(&s) != "" && err != nil {
			cs.bad(key, "no file or folder %s", *f.Text(&s))
		}
	case own.Labels, own.Network:
		cs.file(key, *f.Text(&s))
	case own.Count:
		cs.unless(*f.Number(&s) >= 0, key, "%d is negative; 0 is the default", *f.Number(&s))
	}
}

// checkView checks the view of a user's own data.
func (c Config) checkView(cs *checks) {
	name := c.Source.View
	if name == "" {
		return
	}
	of := func(kind dataset.Kind) []string {
		return views.All.Which(func(e views.Entry) bool { return e.Data == kind && !e.Plain })
	}
	view := views.All.Named(name)
	kind, err := c.Source.Stored()
	switch {
	case err != nil: // source.path is at fault
	case view.Name == "" || view.Plain:
		cs.bad("source.view", "no features are named %q; those of %v are: %s", name, kind, strings.Join(of(kind), ", "))
	case view.Data != kind:
		cs.bad("source.view", "%s looks at %v, and the data is %v; for that there are: %s", name, view.Data, kind,
			strings.Join(of(kind), ", "))
	case c.Source.Backbone != "":
		cs.bad("source.view", "%s beside a backbone: give one of them", name)
	}
	if view.Sparse {
		cs.unless(c.Device == "" || c.Device == "cpu", "device",
			"%s: the features of %s are on the CPU; leave the device out", c.Device, name)
		cs.unless(c.Preprocessing == Unit, "preprocessing", "%s would fill the zeros of %s; take unit", c.Preprocessing, name)
	}
}

// readsWords reports whether the network reads word ids.
func (c Config) readsWords() bool {
	return c.ModelEntry().Input == models.Words || Exported(c.Model) && c.DataEntry().Kind == dataset.Text
}

// networks lists the networks for which is holds.
func networks(is func(models.Entry) bool) string { return and(models.All.Which(is)) }

// and joins words as in "a, b and c".
func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func (c Config) checkInput(cs *checks) {
	cs.name("preprocessing", c.Preprocessing)
	cs.name("augment", c.Augment)
	if c.readsWords() {
		cs.unless(c.Preprocessing == Words, "preprocessing", "%s reads words, not %s", c.Model, c.Preprocessing)
	} else if slices.Contains(Models, c.Model) || Exported(c.Model) {
		cs.unless(c.Preprocessing != Words, "preprocessing", "words is for the models %s, not %s",
			networks(func(e models.Entry) bool {
				return e.Input == models.Words
			}), c.Model)
	}
	if c.DataEntry().Streamed {
		cs.unless(c.Preprocessing == ImageNet, "preprocessing", "%s is streamed and takes imagenet only, not %s", c.Dataset,
			c.Preprocessing)
	}
	network := c.ModelEntry()
	if network.Input == models.Pixels && !c.DataEntry().Own {
		cs.unless(c.Preprocessing != Standard && c.Preprocessing != ImageNet, "preprocessing",
			"%s works by channel, but the input of %s has no channels", c.Preprocessing, c.Model)
	}
	if network.Name != "" && network.Input != models.Images {
		cs.unless(c.Augment == NoAugment, "augment", "%s needs images, which %s does not take; set it to none", c.Augment,
			c.Model)
	}
}

// widest bounds the width of layers, so that products of two widths are numbers of memory.
const widest = 1 << 20

// checkModel checks settings that only some networks have.
func (c Config) checkModel(cs *checks) {
	if Exported(c.Model) {
		c.checkExported(cs)
		return
	}
	network := c.ModelEntry()
	if network.Name == "" {
		return
	}
	if network.Input == models.Words {
		cs.unless(c.EmbeddingDim >= 1, "embedding_dim", "%d is too narrow for word vectors; at least 1", c.EmbeddingDim)
		cs.unless(c.EmbeddingDim <= widest, "embedding_dim", "%d is too wide for word vectors; at most %d", c.EmbeddingDim,
			widest)
		if c.Dropout > 0 {
			cs.name("dropout_units", c.DropoutUnits)
			cs.unless(!slices.Contains(DropoutUnits, c.DropoutUnits) || slices.Contains(network.DropoutUnits, c.DropoutUnits),
				"dropout_units", "%s drops %s only, not %s", c.Model, and(network.DropoutUnits), c.DropoutUnits)
		}
	} else {
		cs.unless(c.EmbeddingDim == 0, "embedding_dim", "%s has no word vectors; remove it", c.Model)
		cs.unless(c.DropoutUnits == "", "dropout_units", "applies to word vectors, which %s does not have; remove it",
			c.Model)
	}
	if !network.Hidden {
		cs.unless(len(c.Hidden) == 0, "hidden", "the hidden layers of %s are fixed; remove it", c.Model)
	}
	for _, width := range c.Hidden {
		cs.unless(width <= widest, "hidden", "%v has a layer of %d units; at most %d", c.Hidden, width, widest)
		cs.unless(width >= 1, "hidden", "%v has a layer of %d units; at least 1", c.Hidden, width)
	}
	if !network.Dropout {
		cs.unless(c.Dropout == 0, "dropout", "%s has no dropout; set it to 0", c.Model)
	}
}

func (c Config) checkNoise(cs *checks) {
	n := c.Noise
	if n.Groups != "" {
		cs.name("noise.groups", n.Groups)
		cs.unless(c.DataEntry().Groups, "noise.groups", "the classes of %s have no groups; remove it", c.Dataset)
	}
	cs.name("noise.kind", n.Kind)
	if slices.Contains(Datasets, c.Dataset) && slices.Contains(NoiseKinds, n.Kind) {
		c.checkNoiseOfData(cs)
	}
	cs.unless(n.Level >= 0 && n.Level < 1, "noise.level", "%v is not in [0, 1); noise levels are shares, such as .2",
		n.Level)
	switch kind := correction.Noises.Named(n.Kind); {
	case kind.File:
		cs.unless(n.Level == 0, "noise.level", "%v has no effect with noise.kind %s; the file holds the levels", n.Level,
			n.Kind)
		cs.unless(n.File != "", "noise.file", "noise.kind %s needs the CSV file of T", n.Kind)
		cs.file("noise.file", n.File)
		return
	case kind.Name != "" && !kind.Level:
		cs.unless(n.Level == 0, "noise.level", "%v has no effect with noise.kind %s; set noise.kind, or the level to 0",
			n.Level, n.Kind)
	}
	cs.unless(n.File == "", "noise.file", "is read with noise.kind %s only, not %s",
		and(correction.Noises.Which(func(e correction.NoiseEntry) bool { return e.File })), n.Kind)
}

// checkLoss checks the constants of the loss.
func (c Config) checkLoss(cs *checks) {
	loss := c.LossEntry()
	if loss.Name == "" {
		return
	}
	cs.unless(!loss.Mixes || !c.readsWords(), "loss", "%s mixes the numbers of examples, and %s reads words", c.Loss,
		c.Model)
	if loss.Networks > 1 {
		cs.unless(c.WarmupEpochs == 0, "warmup_epochs", "%s begins with all examples by itself; set it to 0", c.Loss)
		cs.unless(c.Weights == "" && !Exported(c.Model), "loss",
			"%s trains two networks that differ in the weights that they start from, which a file has once", c.Loss)
	}
	if c.Corrected != "" {
		cs.unless(loss.Relabels(), "corrected",
			"has labels in the place of the given ones, and %s trains on these; remove it", c.Loss)
		cs.file("corrected", c.Corrected)
	}
	for _, key := range losses.SettingKeys() {
		value := *c.LossSettings.At(key)
		if value == 0 {
			continue
		}
		setting, reads := loss.Setting(key)
		if !reads {
			cs.bad("loss_settings."+key, "is used by %s only, not by %s; remove it",
				and(losses.All.Which(func(e losses.Entry) bool {
					_, reads := e.Setting(key)
					return reads
				})), c.Loss)
			continue
		}
		cs.unless(setting.Has(value), "loss_settings."+key, "%v is not %s, as %s needs it; 0 is its default, %v", value,
			outside(setting.Range), c.Loss, setting.Default)
	}
}

// outside is a range after "is not": "in (0, 1]", "above 0".
func outside(r losses.Range) string {
	if text := r.String(); !strings.HasPrefix(text, "(") {
		return text
	}
	return "in " + r.String()
}

// checkNoiseOfData refuses noise that does not apply to the data set.
func (c Config) checkNoiseOfData(cs *checks) {
	data := c.DataEntry()
	others := strings.Join(correction.Noises.Which(func(e correction.NoiseEntry) bool { return !e.Flips }), ", ")
	if data.Clean != "" {
		// T is estimated from the pairs of labels, which lack any further noise.
		cs.unless(c.Noise.Kind == correction.NoNoise, "noise.kind",
			"the labels of %s are noisy already, so that %s noise cannot be added: set it to none, or dataset to %s, which "+
				"takes: %s",
			c.Dataset, c.Noise.Kind, data.Clean, others)
		return
	}
	switch {
	case !correction.Noises.Named(c.Noise.Kind).Flips || c.Noise.Groups != "":
	case data.Groups:
		cs.bad("noise.groups", "is empty; %s noise of %s needs %s", c.Noise.Kind, c.Dataset, strings.Join(Groupings, " or "))
	case data.Flips == nil && !data.Own:
		cs.bad("noise.kind", "no %s noise is known for %s; it takes: %s (whose T is a CSV file, noise.file)", c.Noise.Kind,
			c.Dataset, others)
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
	cs.name("optimizer.name", o.Name)
	cs.unless(o.LearningRate > 0, "optimizer.learning_rate", "%v is not above 0", o.LearningRate)
	cs.unless(o.Epsilon >= 0, "optimizer.epsilon", "%v is negative", o.Epsilon)
	cs.unless(o.WeightDecay >= 0, "optimizer.weight_decay", "%v is negative", o.WeightDecay)
	cs.unless(o.Momentum >= 0 && o.Momentum < 1, "optimizer.momentum", "%v is not in [0, 1)", o.Momentum)
	if method := Optimizers.Named(o.Name); method.Name != "" && !method.Momentum {
		cs.unless(o.Momentum == 0, "optimizer.momentum", "%v has no effect with %s; set it to 0", o.Momentum, o.Name)
	}
	if o.Schedule != "" {
		cs.name("optimizer.schedule", o.Schedule)
		cs.unless(o.Schedule != Linear || len(o.Milestones) == 0, "optimizer.milestones",
			"%v have no effect with the schedule linear; remove them", o.Milestones)
	}
	for i, m := range o.Milestones {
		if m < 1 || i > 0 && m <= o.Milestones[i-1] {
			cs.bad("optimizer.milestones", "%v has to rise from at least 1", o.Milestones)
			break
		}
	}
}

func (e Estimator) check(cs *checks) {
	cs.name("estimator.name", e.Name)
	if estimators.All.Named(e.Name).Quantile {
		cs.unless(e.Quantile > 0 && e.Quantile < 1, "estimator.quantile", "%v is not in (0, 1); the paper uses .97",
			e.Quantile)
	}
	if e.Sample != "" {
		cs.name("estimator.sample", e.Sample)
		cs.unless(e.Sample != AllSample || !estimators.All.Named(e.Name).Labels, "estimator.sample",
			"%s needs noisy labels, which the test examples do not have; take training", e.Name)
	}
	// class-quantile also checks the other estimators.
	cs.unless(e.Kappa >= 0 && e.Kappa <= 1, "estimator.kappa",
		"%v is not in (0, 1]; 0 is the default, .3, which equals the .97 percentile at ten classes", e.Kappa)
	cs.unless(e.Average >= 0, "estimator.average", "%d is negative; 0 is the default, a hundredth of a class", e.Average)
}
