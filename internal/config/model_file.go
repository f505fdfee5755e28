package config

import (
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset"
)

// Exported reports whether a model is not one of Models but the path of a network
// that Python's torch.export.save wrote.
func Exported(model string) bool { return strings.HasSuffix(model, ".pt2") }

// Network returns the model's name; for a file, its base name.
func (c Config) Network() string {
	if Exported(c.Model) {
		return filepath.Base(c.Model)
	}
	return c.Model
}

// checkExported is checkModel for the file of an exported network. Its content is
// checked by run.Preflight.
func (c Config) checkExported(cs *checks) {
	cs.file("model", c.Model)
	const own = "an exported network has its own; set it to %s"
	cs.unless(c.Dropout == 0, "dropout", own, "0")
	cs.unless(c.EmbeddingDim == 0, "embedding_dim", own, "0")
	cs.unless(c.DropoutUnits == "", "dropout_units", own, `""`)
	cs.unless(c.Augment == NoAugment || c.DataEntry().Kind != dataset.Vector && c.DataEntry().Kind != dataset.Text,
		"augment", "%s needs images of three dimensions, which %s does not have; set it to none", c.Augment, c.Dataset)
}
