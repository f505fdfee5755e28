package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/optim"
)

// The names that a configuration may use. Those of a part stand in its table.
var (
	Datasets   = dataset.All.Names()
	Models     = models.All.Names()
	Presets    = []string{"paper", "code", "fixed"}
	Losses     = correction.Losses.Names()
	NoiseKinds = correction.Noises.Names()
	Optimizers = optim.All.Names()
	Estimators = correction.Estimators.Names()
	Inits      = nn.InitNames()
	Precisions = []string{"float32", "bfloat16", "float16"}

	// What the network is given: bytes in [0, 1]; bytes, or those, less each
	// pixel's mean over the training set; or each channel less its mean and by its
	// standard deviation, of the training set or of ImageNet; word numbers.
	Preprocessings = []string{"unit", "pixel-mean-255", "pixel-mean", "standard", "imagenet", "words"}
	Augments       = []string{"none", "crop-flip"}
	DropoutUnits   = []string{"elements", "channels", "words"}
	Groupings      = []string{"super-classes", "index"}
	Holdouts       = []string{"first", "last"}

	// TF32s says which float32 operations of a GPU may use TF32: convolutions and
	// recurrent layers, which is PyTorch's default, these and matrix products, or none.
	TF32s = []string{"cudnn", "all", "off"}
)

// The entries of a configuration's parts, zero for names that there are not.
func (c Config) LossEntry() correction.LossEntry { return correction.Losses.Named(c.Loss) }
func (c Config) DataEntry() dataset.Entry        { return dataset.All.Named(c.Dataset) }
func (c Config) ModelEntry() models.Entry        { return models.All.Named(c.Model) }

func checkName(what, name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	if name == "" {
		return fmt.Sprintf("no %s is named; known: %s", what, strings.Join(known, ", "))
	}
	if hint := Suggest(name, known); hint != "" {
		return fmt.Sprintf("unknown %s %q%s", what, name, hint)
	}
	also := ""
	if what == "model" {
		also = "; or FILE.pt2, a network exported from Python"
	}
	return fmt.Sprintf("unknown %s %q; known: %s%s", what, name, strings.Join(known, ", "), also)
}
