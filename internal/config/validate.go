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
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/optim"
)

// Validate returns all problems of a configuration as one *ConfigError, or nil.
func (c Config) Validate() error { return NewError(c.problems()...) }

// ValidateNetwork is Validate for the settings that affect the use of a trained network.
func (c Config) ValidateNetwork() error {
	v := newValidation(c)
	v.settings("dataset", "model", "loss", "init", "init_output", "precision", "preprocessing", "augment", "batch_size",
		"dropout", "dropout_units")
	v.input()
	v.model()
	return NewError(v.list...)
}

func (c Config) problems() []Problem {
	v := newValidation(c)
	v.settings(Keys()...)
	v.unless(c.Precision != Float16 || strings.HasPrefix(c.Device, "cuda"), "precision",
		"float16 needs a GPU: set device to cuda, or precision to bfloat16")
	v.unless(c.Device == "" || deviceName.MatchString(c.Device), "device", "%q is not a device; want cpu, cuda or cuda:N",
		c.Device)
	v.unless(c.WarmupEpochs >= 0 && c.WarmupEpochs < max(c.Epochs, 1), "warmup_epochs",
		"%d is not in [0, %d); it must be below the number of epochs", c.WarmupEpochs, c.Epochs)
	v.unread()
	v.examples()
	v.source()
	v.input()
	v.model()
	v.noiseKind()
	v.lossSettings()
	v.optimizer()
	v.estimatorSettings()
	v.trusted()
	return v.list
}

var deviceName = regexp.MustCompile(`^(cpu|cuda|cuda:[0-9]{1,3})$`)

// validation collects the problems of one configuration.
type validation struct {
	Config
	data      published.Entry
	network   models.Entry
	loss      losses.Entry
	noise     correction.NoiseEntry
	estimator estimators.Entry
	exported  bool
	words     bool // the network reads word ids
	list      []Problem
}

func newValidation(c Config) *validation {
	v := &validation{Config: c, data: c.DataEntry(), network: c.ModelEntry(), loss: c.LossEntry(),
		noise: correction.Noises.Named(c.Noise.Kind), estimator: estimators.All.Named(c.Estimator.Name),
		exported: Exported(c.Model)}
	v.words = v.network.Input == models.Words || v.exported && v.data.Kind == dataset.Text
	return v
}

func (v *validation) bad(key, format string, args ...any) {
	v.list = append(v.list, problemf(Position{}, key, format, args...))
}

// unless adds a problem if ok is false. Callers pass the condition that must hold, so NaN fails.
func (v *validation) unless(ok bool, key, format string, args ...any) {
	if !ok {
		v.bad(key, format, args...)
	}
}

// only adds a problem if a setting is not zero but the named part does not read it. It skips unknown names, which are
// reported elsewhere.
func only[E fmt.Stringer](v *validation, key string, parts table.Of[E], name string, reads func(E) bool) {
	if byKey[key].Of(&v.Config).IsZero() {
		return
	}
	part := parts.Named(name)
	unknown := part.String() == "" && !Exported(name)
	if Exported(name) {
		name = "an exported network, which has its own"
	}
	v.unless(unknown || reads(part), key, "is used by %s only, not by %s; remove it", and(parts.Which(reads)), name)
}

// unread reports settings that the data set, noise, loss or optimizer does not read.
func (v *validation) unread() {
	type (
		data = published.Entry
		loss = losses.Entry
	)
	only(v, "examples.validation", published.All, v.Dataset, func(e data) bool { return e.Validation })
	only(v, "noise.groups", published.All, v.Dataset, func(e data) bool { return e.Groups })
	only(v, "noise.file", correction.Noises, v.Noise.Kind, func(e correction.NoiseEntry) bool { return e.File })
	only(v, "optimizer.momentum", Optimizers, v.Optimizer.Name, func(e optim.Entry) bool { return e.Momentum })
	only(v, "targets", losses.All, v.Loss, func(e loss) bool { return e.Targets })
	only(v, "transition", losses.All, v.Loss, func(e loss) bool { // with corrected labels, T only estimates the accuracy
		return e.T == losses.KnownT || v.Corrected != ""
	})
	for _, name := range losses.SettingKeys() {
		only(v, "loss_settings."+name, losses.All, v.Loss, func(e loss) bool { _, ok := e.Setting(name); return ok })
	}
}

// settings checks single settings: names, ranges and files.
func (v *validation) settings(keys ...string) {
	for _, key := range keys {
		s := byKey[key]
		value := s.Of(&v.Config)
		text := s.outside(value)
		if _, named := Choices[key]; named {
			text = checkName(key, value.String())
		}
		v.unless(text == "", key, "%s", text)
		if s.Type.Kind() == reflect.String && s.isPath(value.String()) && s.Scope != OfPlace && !within(key, "source") {
			v.file(key, value.String())
		}
	}
}

// file checks that a path leads to a file. It may be empty.
func (v *validation) file(key, path string) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	v.unless(err == nil, key, "no file %s", path)
	v.unless(err != nil || info.Mode().IsRegular(), key, "%s is not a file", path)
}

// and joins words as in "a, b and c".
func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// examples checks how much of the data is used.
func (v *validation) examples() {
	if share := v.Validation.Share; v.data.Validation {
		v.unless(share == 0, "validation.share", "%v has no effect: %s comes with a validation set; set it to 0", share,
			v.Dataset)
	} else {
		v.unless(share > 0 && share < 1, "validation.share", "%v is not in (0, 1)", share)
	}
}

// source checks the source of a user's own data. run.Preflight checks its content.
func (v *validation) source() {
	f := v.Folds
	v.unless(f.Count == 0 || f.Count >= 2, "folds.count", "%d is too few; at least 2, or 0 for none", f.Count)
	v.unless(f.Out >= 0 && f.Out <= f.Count && (f.Out > 0) == (f.Count > 0), "folds.out",
		"%d is not one of the %d folds, counted from 1", f.Out, f.Count)
	s := v.Usual().Source
	if !v.data.Own {
		v.unless(reflect.ValueOf(s).IsZero(), "source",
			"is only for dataset own, not %s; remove it, or set dataset to own", v.Dataset)
		return
	}
	kind, err := s.Kind()
	switch {
	case s.Path == "":
		v.bad("source.path", "is empty; set it to the folder or file of the data")
	case err != nil:
		v.bad("source.path", "%v", err)
	case v.network.Name != "" && v.network.Input != inputOf(kind):
		v.bad("model", "%s takes %s, but the data is %v", v.Model, v.network.Input, kind)
	}
	if err := s.CheckClassNames(); err != nil {
		v.bad("source.class_names", "%v", err)
	}
	v.view()
	for _, f := range own.Fields {
		switch key := "source." + f.Key; f.Kind {
		case own.Examples:
			_, err := os.Stat(*f.Text(&s))
			v.unless(*f.Text(&s) == "" || err == nil, key, "no file or folder %s", *f.Text(&s))
		case own.Labels, own.Network:
			v.file(key, *f.Text(&s))
		case own.Count:
			v.unless(*f.Number(&s) >= 0, key, "%d is negative; 0 is the default", *f.Number(&s))
		}
	}
}

// view checks the view of a user's own data.
func (v *validation) view() {
	name, view := v.Source.View, views.All.Named(v.Source.View)
	if name == "" {
		return
	}
	kind, err := v.Source.Stored()
	known := views.All.Which(func(e views.Entry) bool { return e.Data == kind && !e.Plain })
	v.unless(err != nil || slices.Contains(known, name), "source.view", "no view of %v is named %q; use one of: %s", kind,
		name, strings.Join(known, ", "))
	v.unless(v.Source.Backbone == "", "source.view", "%s and a backbone are both given; remove one of them", name)
	if view.Sparse {
		v.unless(v.Device == "" || v.Device == "cpu", "device",
			"%s: the features of %s are on the CPU; leave the device out", v.Device, name)
		v.unless(v.Preprocessing == Unit, "preprocessing", "%s would fill the zeros of %s; use unit", v.Preprocessing, name)
	}
}

// input checks how examples become the network's input.
func (v *validation) input() {
	if v.words {
		v.unless(v.Preprocessing == Words, "preprocessing", "%s reads words, not %s", v.Model, v.Preprocessing)
	} else if v.network.Name != "" || v.exported {
		v.unless(v.Preprocessing != Words, "preprocessing", "words is for the models %s, not %s",
			and(models.All.Which(func(e models.Entry) bool { return e.Input == models.Words })), v.Model)
	}
	v.unless(!v.data.Streamed || v.Preprocessing == ImageNet, "preprocessing",
		"%s is streamed, which needs imagenet, not %s", v.Dataset, v.Preprocessing)
	if v.network.Input == models.Pixels && !v.data.Own {
		v.unless(v.Preprocessing != Standard && v.Preprocessing != ImageNet, "preprocessing",
			"%s works by channel, but the input of %s has no channels", v.Preprocessing, v.Model)
	}
	v.unless(v.Augment == NoAugment || v.network.Name == "" || v.network.Input == models.Images, "augment",
		"%s needs images, which %s does not take; set it to none", v.Augment, v.Model)
}

// widest bounds the width of layers, so that the memory for two layers' weights does not overflow.
const widest = 1 << 20

// model checks the settings that only some networks have. run.Preflight checks the content of an exported one.
func (v *validation) model() {
	if known := ModelsOf(v.Dataset); known != nil && v.network.Name != "" && !slices.Contains(known, v.Model) {
		v.bad("model", "%s does not work with data set %s; use one of: %s", v.Model, v.Dataset, strings.Join(known, ", "))
	}
	words := func(e models.Entry) bool { return e.Input == models.Words }
	anyLength := func(e models.Entry) bool { return e.AnyLength || e.Name == "" && v.words }
	only(v, "hidden", models.All, v.Model, func(e models.Entry) bool { return e.Hidden })
	only(v, "dropout", models.All, v.Model, func(e models.Entry) bool { return e.Dropout })
	only(v, "embedding_dim", models.All, v.Model, words)
	only(v, "dropout_units", models.All, v.Model, words)
	only(v, "examples.words", models.All, v.Model, anyLength)
	units := v.DropoutUnits
	switch {
	case v.exported:
		v.unless(v.Augment == NoAugment || v.data.Kind != dataset.Vector && v.data.Kind != dataset.Text, "augment",
			"%s needs images of three dimensions, which %s does not have; set it to none", v.Augment, v.Dataset)
		return
	case v.network.Name == "":
		return
	case v.words:
		dim := v.EmbeddingDim
		v.unless(dim >= 1, "embedding_dim", "%d is too narrow for word vectors; at least 1", dim)
		v.unless(dim <= widest, "embedding_dim", "%d is too wide for word vectors; at most %d", dim, widest)
		v.unless(v.Dropout == 0 || slices.Contains(v.network.DropoutUnits, units) ||
			units != "" && !slices.Contains(DropoutUnits, units), "dropout_units", "%s drops %s only, not %q", v.Model,
			and(v.network.DropoutUnits), units)
	}
	for _, width := range v.Hidden {
		v.unless(width >= 1 && width <= widest, "hidden", "%v has a layer of %d units; want 1 to %d", v.Hidden, width, widest)
	}
}

// noiseKind checks the noise, and that it suits the data set.
func (v *validation) noiseKind() {
	n := v.Noise
	if v.data.Name != "" && v.noise.Name != "" {
		v.noiseOfData()
	}
	if v.noise.Name != "" && !v.noise.Level {
		v.unless(n.Level == 0, "noise.level", "%v has no effect with noise.kind %s; set noise.kind, or the level to 0",
			n.Level, n.Kind)
	}
	if v.noise.File {
		v.unless(n.File != "", "noise.file", "noise.kind %s needs the CSV file of T", n.Kind)
	}
}

func (v *validation) noiseOfData() {
	others := strings.Join(correction.Noises.Which(func(e correction.NoiseEntry) bool { return !e.Flips }), ", ")
	switch kind := v.Noise.Kind; {
	case v.data.Clean != "":
		// T is estimated from pairs of clean and given labels, which further noise would not touch.
		v.unless(kind == correction.NoNoise, "noise.kind", "the labels of %s are already noisy, so %s noise cannot be "+
			"added: set it to none, or dataset to %s, which takes: %s", v.Dataset, kind, v.data.Clean, others)
	case !v.noise.Flips || v.Noise.Groups != "":
	case v.data.Groups:
		v.bad("noise.groups", "is empty; %s noise of %s needs %s or %s", kind, v.Dataset, SuperClasses, ByIndex)
	case v.data.Flips == nil && !v.data.Own:
		v.bad("noise.kind", "%s noise is not defined for %s; use one of: %s (T from the CSV file noise.file)", kind,
			v.Dataset, others)
	}
}

// lossSettings checks the loss's constants and what it needs from the run.
func (v *validation) lossSettings() {
	if v.loss.Name == "" {
		return
	}
	v.unless(!v.loss.Mixes || !v.words, "loss", "%s mixes numbers, but %s reads words", v.Loss, v.Model)
	if v.loss.Networks > 1 {
		v.unless(v.WarmupEpochs == 0, "warmup_epochs", "%s has its own warm-up; set it to 0", v.Loss)
		v.unless(v.Weights == "" && !v.exported, "loss",
			"%s trains two networks from different initial weights, but a file has only one set", v.Loss)
	}
	v.unless(v.Targets != "" || !v.loss.Targets, "targets",
		"%s trains on a distribution over classes for each example; give an NPY file [N C]", v.Loss)
	v.unless(v.Corrected == "" || v.loss.Relabels(), "corrected",
		"replaces given labels, but %s trains on the given ones; remove it", v.Loss)
	for _, setting := range v.loss.Settings {
		value := *v.LossSettings.At(setting.Key)
		v.unless(value == 0 || setting.Has(value), "loss_settings."+setting.Key,
			"%v is not in the range of %s, %v; 0 is the default, %v", value, v.Loss, setting, setting.Default)
	}
}

func (v *validation) optimizer() {
	o := v.Optimizer
	v.unless(o.Schedule != Linear || len(o.Milestones) == 0, "optimizer.milestones",
		"%v have no effect with schedule linear; remove them", o.Milestones)
	last := 0
	for _, m := range o.Milestones {
		if m <= last {
			v.bad("optimizer.milestones", "%v must be increasing, from at least 1", o.Milestones)
			break
		}
		last = m
	}
}

func (v *validation) estimatorSettings() {
	e := v.Estimator
	v.unless(!v.estimator.Quantile || e.Quantile > 0 && e.Quantile < 1, "estimator.quantile",
		"%v is not in (0, 1); the paper uses .97", e.Quantile)
	v.unless(e.Sample != AllSample || !v.estimator.Labels, "estimator.sample",
		"%s needs noisy labels, which test examples do not have; set it to training", e.Name)
	v.unless(!v.estimator.Triples || !v.exported, "estimator.name", "%s needs the input of the last layer, which an "+
		"exported network does not give; use another estimator, such as vertices", e.Name)
}

// trusted checks the known labels, and the estimators and losses that need them.
func (v *validation) trusted() {
	v.unless(v.Trusted != "" || !v.estimator.Trusted, "trusted",
		"estimator %s needs known labels of each class; give their number per class, or a CSV file", v.Estimator.Name)
	v.unless(v.Trusted != "" || !v.loss.Trusted, "trusted",
		"%s trains on known labels; give their number per class, random:N for N of all examples, or a CSV file", v.Loss)
	n, perClass, drawn := v.TrustedDraw()
	each := map[bool]string{true: " per class"}[perClass]
	v.unless(!drawn || n >= 1, "trusted",
		"%d labels%s are too few; give at least 1, or remove trusted to use noisy labels only", n, each)
	v.unless(drawn || !strings.HasPrefix(v.Trusted, randomTrusted), "trusted",
		"%q is not random:N; for 20 examples drawn at random, write random:20", v.Trusted)
}
