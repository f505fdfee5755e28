package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/torch/nn"
)

// The names that a configuration may use. A new loss, model or data set adds
// its name here and nothing else in this package.
var (
	Datasets = []string{"mnist", "imdb", "cifar10", "cifar100", "clothing1m", "clothing1m-clean"}
	Models   = []string{
		"mlp", "embedding", "lstm", "resnet50",
		"resnet8", "resnet14", "resnet20", "resnet26", "resnet32", "resnet38", "resnet44", "resnet56", "resnet110",
	}
	Presets = []string{"paper", "code", "fixed"}
	Losses  = []string{
		CrossEntropy, Forward, Backward, ForwardEstimated, BackwardEstimated,
		Unhinged, Sigmoid, Savage, BootstrapSoft, BootstrapHard,
		UnhingedSymmetric, SigmoidSymmetric, SavageLogits,
	}
	NoiseKinds = []string{"none", "symmetric", "asymmetric", "matrix"}
	// Those of a data set of which nobody has said what flips to what.
	noisesWithoutFlips = []string{"none", "symmetric", "matrix"}

	Optimizers = []string{"adagrad", "sgd", "adam"}
	Estimators = []string{"argmax", "percentile", "class-quantile", "vertices"}
	Inits      = nn.InitNames()
	Precisions = []string{"float32", "bfloat16", "float16"}

	// What the network is given: bytes in [0, 1]; bytes, or those, less each
	// pixel's mean over the training set; or each channel less its mean and by its
	// standard deviation, of the training set or of ImageNet; word numbers.
	Inputs       = []string{"unit", "pixel-mean-255", "pixel-mean", "standard", "imagenet", "words"}
	Augments     = []string{"none", "crop-flip"}
	DropoutKinds = []string{"elements", "channels", "words"}
	Groupings    = []string{"super-classes", "index"}
	Holdouts     = []string{"first", "last"}

	// TF32s says which float32 operations of a GPU may use TF32: convolutions and
	// recurrent layers, which is PyTorch's default, these and matrix products, or none.
	TF32s = []string{"cudnn", "all", "off"}
)

// The losses of the paper's Algorithm 1 and of its comparison, those as its
// code has them and, with a longer name, as they were meant.
const (
	CrossEntropy      = "cross-entropy"
	Forward           = "forward"
	Backward          = "backward"
	ForwardEstimated  = "forward-estimated"
	BackwardEstimated = "backward-estimated"
	Unhinged          = "unhinged"
	Sigmoid           = "sigmoid"
	Savage            = "savage"
	BootstrapSoft     = "bootstrap-soft"
	BootstrapHard     = "bootstrap-hard"
	UnhingedSymmetric = "unhinged-symmetric"
	SigmoidSymmetric  = "sigmoid-symmetric"
	SavageLogits      = "savage-logits"
)

// marginLosses are those of logits without a softmax, which have no use for
// Config.Clip.
var marginLosses = []string{Unhinged, Sigmoid, UnhingedSymmetric, SigmoidSymmetric, SavageLogits}

// Clips reports whether a loss reads Config.Clip.
func Clips(loss string) bool { return !slices.Contains(marginLosses, loss) }

// Estimated reports whether the loss uses a T read off a network that was
// trained with cross-entropy before.
func Estimated(loss string) bool {
	return loss == ForwardEstimated || loss == BackwardEstimated
}

// endsInNorm reports whether the loss has the network end in batch
// normalisation; see correction.NeedsBatchNorm.
func (c Config) endsInNorm() bool {
	return slices.Contains([]string{Unhinged, Sigmoid, UnhingedSymmetric, SigmoidSymmetric}, c.Loss)
}

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
