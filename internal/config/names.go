package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// The names that a configuration may use. The names of losses, networks and other
// parts come from their tables.
var (
	Datasets   = published.All.Names()
	Models     = models.All.Names()
	Presets    = []string{"paper", "code", "fixed"}
	NoiseKinds = correction.Noises.Names()

	DropoutUnits = []string{models.DropElements, models.DropChannels, models.DropWords}
	Groupings    = []string{SuperClasses, ByIndex}
	TF32s        = []string{CuDNN, TF32All, TF32Off}
)

// Precision.
const (
	Float32  = "float32"
	BFloat16 = "bfloat16"
	Float16  = "float16"
)

// Preprocessing.
const (
	Unit         = "unit"           // bytes scaled to [0, 1]
	PixelMean255 = "pixel-mean-255" // bytes minus each pixel's mean over the training set
	PixelMean    = "pixel-mean"     // the same in [0, 1]
	// each channel minus its mean, divided by its standard deviation, over the training set
	Standard = "standard"
	ImageNet = "imagenet" // the same with ImageNet's moments
	Words    = "words"    // word ids
)

// Augment.
const (
	NoAugment = "none"
	CropFlip  = "crop-flip"
)

// Noise.Groups.
const (
	SuperClasses = "super-classes"
	ByIndex      = "index"
)

// Holdout.From.
const (
	First = "first"
	Last  = "last"
)

// Optimizers are those that configurations name.
var Optimizers = table.Of[optim.Entry](optim.All)

// Estimator.Sample.
const (
	TrainingSample = "training" // the training and validation examples
	AllSample      = "all"      // these and the test examples, without their labels
)

// Optimizer.Schedule.
const (
	Steps  = "steps"  // a tenth of the rate from each milestone on
	Linear = "linear" // constant for the first half of the epochs, then linear to 0
)

// TF32 says which float32 operations of a GPU may use it.
const (
	CuDNN   = "cudnn" // convolutions and recurrent layers, PyTorch's default
	TF32All = "all"   // matrix products too
	TF32Off = "off"   // none
)

// Record says whether a GPU records training steps.
const (
	RecordAuto = "auto" // where they can be, and a first one does what one does that is not recorded
	RecordOff  = "off"
)

// Choice is what a setting says that takes one of a few names.
type Choice struct {
	What     string // in errors
	Optional bool   // it may be empty
	Names    func() []string
}

// Choices are those settings, by their keys.
var Choices = map[string]Choice{
	"dataset":            {"data set", false, fixed(Datasets...)},
	"model":              {"model", false, fixed(Models...)},
	"preset":             {"preset", false, fixed(Presets...)},
	"loss":               {"loss", false, Losses},
	"noise.kind":         {"noise", false, fixed(NoiseKinds...)},
	"noise.groups":       {"grouping", true, fixed(Groupings...)},
	"preprocessing":      {"preprocessing", false, fixed(Unit, PixelMean255, PixelMean, Standard, ImageNet, Words)},
	"augment":            {"augmentation", false, fixed(NoAugment, CropFlip)},
	"validation.from":    {"part", false, fixed(First, Last)},
	"optimizer.name":     {"optimizer", false, fixed(Optimizers.Names()...)},
	"optimizer.schedule": {"schedule", true, fixed(Steps, Linear)},
	"init":               {"initialiser", false, nn.InitNames},
	"init_output":        {"initialiser", true, nn.InitNames},
	"estimator.name":     {"estimator", false, fixed(estimators.All.Names()...)},
	"estimator.sample":   {"sample", true, fixed(TrainingSample, AllSample)},
	"precision":          {"precision", false, fixed(Float32, BFloat16, Float16)},
	"dropout_units":      {"kind of dropout", false, fixed(DropoutUnits...)},
	"tf32":               {"use of TF32", true, fixed(TF32s...)},
	"record":             {"recording of steps", true, fixed(RecordAuto, RecordOff)},
}

func fixed(names ...string) func() []string { return func() []string { return names } }

// Losses returns the names of the losses, with those of losses.Register.
func Losses() []string { return losses.All.Names() }

// LossEntry returns the entry of the run's loss in losses.All, the zero entry
// where the name is unknown.
func (c Config) LossEntry() losses.Entry { return losses.All.Named(c.Loss) }

// DataEntry returns the entry of the run's data set in published.All, the zero entry
// where the name is unknown. The kind of a user's own data is that of its source, 0
// where the source cannot be read.
func (c Config) DataEntry() published.Entry {
	e := published.All.Named(c.Dataset)
	if e.Own {
		e.Kind, _ = c.Source.Kind()
	}
	return e
}

// ModelEntry returns the entry of the run's network in models.All, the zero entry for
// an exported network and where the name is unknown.
func (c Config) ModelEntry() models.Entry { return models.All.Named(c.Model) }

// checkName says what is wrong with the name of a part, the value of a key; "" if it is known.
func checkName(key, name string) string {
	choice := Choices[key]
	what, known := choice.What, choice.Names()
	if slices.Contains(known, name) || name == "" && choice.Optional {
		return ""
	}
	if name == "" {
		return fmt.Sprintf("no %s is named; known: %s", what, strings.Join(known, ", "))
	}
	if parts := strings.Split(name, ","); len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool {
		return !slices.Contains(known, strings.TrimSpace(part))
	}) {
		return fmt.Sprintf("%q are %d; several make a grid as a list: '%s=[%s]' on the command line, grid: {%s: [%s]} in a "+
			"file", name, len(parts), key, name, key, name)
	}
	if hint := Suggest(name, known); hint != "" {
		return fmt.Sprintf("unknown %s %q%s", what, name, hint)
	}
	also := ""
	if key == "model" {
		also = "; or FILE.pt2, a network exported from Python"
	}
	return fmt.Sprintf("unknown %s %q; known: %s%s", what, name, strings.Join(known, ", "), also)
}
