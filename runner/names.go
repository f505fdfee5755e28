package runner

import (
	"fmt"
	"slices"
	"strings"
)

// The names that a configuration may use. A new loss, model or data set adds
// its name here and nothing else in this package.
var (
	Datasets   = []string{"mnist"}
	Models     = []string{"mlp"}
	Presets    = []string{"paper", "code", "fixed"}
	Losses     = []string{CrossEntropy, Forward, Backward, ForwardEstimated, BackwardEstimated}
	NoiseKinds = []string{"none", "symmetric", "asymmetric", "matrix"}
	Optimizers = []string{"adagrad", "sgd", "adam"}
	Estimators = []string{"argmax", "percentile", "class-quantile"}
	Inits      = []string{"he_normal", "he_uniform", "glorot_normal", "glorot_uniform", "lecun_normal", "lecun_uniform"}
	Holdouts   = []string{"first", "last"}
)

// The losses of the paper's Algorithm 1 and of its comparison.
const (
	CrossEntropy      = "cross-entropy"
	Forward           = "forward"
	Backward          = "backward"
	ForwardEstimated  = "forward-estimated"
	BackwardEstimated = "backward-estimated"
)

// Estimated reports whether the loss uses a T read off a network that was
// trained with cross-entropy before.
func Estimated(loss string) bool {
	return loss == ForwardEstimated || loss == BackwardEstimated
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
	return fmt.Sprintf("unknown %s %q; known: %s", what, name, strings.Join(known, ", "))
}
