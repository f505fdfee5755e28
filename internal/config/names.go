package config

import (
	"fmt"
	"path/filepath"
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

// The names that a configuration may use. Losses, networks and other parts have theirs in tables.
const (
	// precision
	Float32  = "float32"
	BFloat16 = "bfloat16"
	Float16  = "float16"

	// preprocessing
	Unit         = "unit"           // bytes scaled to [0, 1]
	PixelMean255 = "pixel-mean-255" // bytes minus each pixel's mean over the training set
	PixelMean    = "pixel-mean"     // the same in [0, 1]
	Standard     = "standard"       // each channel standardised over the training set
	ImageNet     = "imagenet"       // the same with ImageNet's moments
	Words        = "words"          // word ids

	// augment
	NoAugment = "none"
	CropFlip  = "crop-flip"

	// noise.groups
	SuperClasses = "super-classes"
	ByIndex      = "index"

	// validation.from
	First = "first"
	Last  = "last"

	// estimator.sample
	TrainingSample = "training" // the training and validation examples
	AllSample      = "all"      // these and the test examples, without labels

	// optimizer.schedule
	Steps  = "steps"  // a tenth of the rate from each milestone on
	Linear = "linear" // constant for the first half of the epochs, then linear to 0

	// tf32: the float32 operations that may use it on a GPU
	CuDNN   = "cudnn" // convolutions and recurrent layers, PyTorch's default
	TF32All = "all"   // matrix products too
	TF32Off = "off"   // none

	// record
	RecordAuto = "auto" // if a recorded step gives the same result as one that is not
	RecordOff  = "off"
)

// Names of parts.
var (
	Datasets     = published.All.Names()
	Models       = models.All.Names()
	Presets      = []string{"paper", "code", "fixed"}
	DropoutUnits = []string{models.DropElements, models.DropChannels, models.DropWords}
	Optimizers   = table.Of[optim.Entry](optim.All)
)

// Choice describes a setting that takes one of a few names.
type Choice struct {
	What     string // in errors
	Optional bool   // it may be empty
	Names    func() []string
}

// Choices maps keys to these settings.
var Choices = map[string]Choice{
	"dataset":            {"data set", false, fixed(Datasets...)},
	"model":              {"model", false, fixed(Models...)},
	"preset":             {"preset", false, fixed(Presets...)},
	"loss":               {"loss", false, Losses},
	"noise.kind":         {"noise", false, correction.Noises.Names},
	"noise.groups":       {"grouping", true, fixed(SuperClasses, ByIndex)},
	"preprocessing":      {"preprocessing", false, fixed(Unit, PixelMean255, PixelMean, Standard, ImageNet, Words)},
	"augment":            {"augmentation", false, fixed(NoAugment, CropFlip)},
	"validation.from":    {"part", false, fixed(First, Last)},
	"optimizer.name":     {"optimizer", false, Optimizers.Names},
	"optimizer.schedule": {"schedule", true, fixed(Steps, Linear)},
	"init":               {"initialiser", false, nn.InitNames},
	"init_output":        {"initialiser", true, nn.InitNames},
	"estimator.name":     {"estimator", false, estimators.All.Names},
	"estimator.sample":   {"sample", true, fixed(TrainingSample, AllSample)},
	"precision":          {"precision", false, fixed(Float32, BFloat16, Float16)},
	"dropout_units":      {"kind of dropout", true, fixed(DropoutUnits...)},
	"tf32":               {"TF32 mode", true, fixed(CuDNN, TF32All, TF32Off)},
	"record":             {"recording mode", true, fixed(RecordAuto, RecordOff)},
}

func fixed(names ...string) func() []string { return func() []string { return names } }

// Losses returns the names of the losses, including losses.Register's.
func Losses() []string { return losses.All.Names() }

// LossEntry returns the loss's entry in losses.All, zero if the name is unknown.
func (c Config) LossEntry() losses.Entry { return losses.All.Named(c.Loss) }

// DataEntry returns the data set's entry in published.All, zero if the name is unknown. The kind of a user's own data
// comes from its source, and is 0 if the source cannot be read.
func (c Config) DataEntry() published.Entry {
	e := published.All.Named(c.Dataset)
	if e.Own {
		e.Kind, _ = c.Source.Kind()
	}
	return e
}

// ModelEntry returns the network's entry in models.All, zero for an exported network or an unknown name.
func (c Config) ModelEntry() models.Entry { return models.All.Named(c.Model) }

// Exported reports whether a model is the path of a network written by Python's torch.export.save.
func Exported(model string) bool { return strings.HasSuffix(model, ".pt2") }

// Network returns the model's name; for a file, its base name.
func (c Config) Network() string {
	if Exported(c.Model) {
		return filepath.Base(c.Model)
	}
	return c.Model
}

// checkName returns what is wrong with the name that a key is set to, "" if nothing.
func checkName(key, name string) string {
	choice := Choices[key]
	what, known := choice.What, choice.Names()
	if slices.Contains(known, name) || name == "" && choice.Optional || key == "model" && Exported(name) {
		return ""
	}
	all := strings.Join(known, ", ")
	switch hint := Suggest(name, known); {
	case name == "":
		return fmt.Sprintf("no %s is given; known: %s", what, all)
	case hint != "":
		return fmt.Sprintf("unknown %s %q%s", what, name, hint)
	case key == "model":
		all += "; or FILE.pt2, a network exported from Python"
	}
	return fmt.Sprintf("unknown %s %q; known: %s", what, name, all)
}
