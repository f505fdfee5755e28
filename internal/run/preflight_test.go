package run

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/expect"
)

const estimatedRun = "dataset: mnist\nloss: forward-estimated\n"

// A T without an inverse is refused before any training if the loss inverts it.
func TestPreflightInvertsT(t *testing.T) {
	configs := configtest.Load(t, "dataset: mnist\nloss: backward\nnoise: {kind: symmetric, level: .9}\n")
	configs[0].Data = filepath.Join("..", "..", "data")
	err := new(Pipeline).Preflight(t.Context(), configs, dataset.Options{Offline: true})
	expect.Fails(t, err, "use forward correction", "T")
}

// A file of known labels is read before any training.
func TestPreflightReadsTrusted(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"c.yaml": estimatedRun + "trusted: known.csv\n",
		"known.csv": "index,label\n60000,7\n"})
	runs := expect.Got(config.Load(filepath.Join(dir, "c.yaml")))(t)
	err := new(Pipeline).Preflight(t.Context(), runs, dataset.Options{})
	expect.Fails(t, err, `known.csv:2: index "60000", want a whole number in [0, 60000)`, "trusted")
	if !errors.Is(err, dataset.ErrData) {
		t.Errorf("error is %v", err)
	}
}
