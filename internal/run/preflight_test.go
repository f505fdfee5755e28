package run_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/run"
)

const estimatedRun = "dataset: mnist\nloss: forward-estimated\n"

// A T without an inverse is refused before any training where the loss inverts it.
func TestPreflightInvertsT(t *testing.T) {
	configs := configtest.Load(t, "dataset: mnist\nloss: backward\nnoise: {kind: symmetric, level: .9}\n")
	configs[0].Data = filepath.Join("..", "..", "data")
	err := new(run.Pipeline).Preflight(t.Context(), configs, dataset.Options{Offline: true})
	if err == nil || !strings.Contains(err.Error(), "use forward correction") {
		t.Errorf("error is %v", err)
	}
}

// A file of known labels is read before any training.
func TestPreflightReadsTrusted(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"c.yaml": estimatedRun + "trusted: known.csv\n", "known.csv": "index,label\n60000,7\n"})
	runs, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	err = new(run.Pipeline).Preflight(t.Context(), runs, dataset.Options{})
	if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), `known.csv:2: index "60000", want a whole number in [0, 60000)`) {
		t.Errorf("error is %v", err)
	}
}
