package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

// A network from Python has the settings of the data set's first one, but for what
// is in the file.
func TestExportedSettings(t *testing.T) {
	for _, dataset := range config.Datasets {
		for _, preset := range config.Presets {
			dir := t.TempDir()
			source := ""
			if dataset == "own" {
				source = "source: {path: own.csv, text: review}\n"
			}
			for name, text := range map[string]string{"net.pt2": "", "own.csv": "", "c.yaml": "dataset: " + dataset + "\npreset: " + preset + "\nmodel: net.pt2\n" + source} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			configs, err := config.Load(filepath.Join(dir, "c.yaml"))
			if err != nil {
				t.Fatalf("%s, %s: %v", dataset, preset, err)
			}
			c := configs[0]
			if c.Model != filepath.Join(dir, "net.pt2") || c.Network() != "net.pt2" || c.Dropout != 0 || c.EmbeddingDim != 0 || c.DropoutUnits != "" {
				t.Errorf("%s, %s: %+v", dataset, preset, c)
			}
			if !strings.Contains(c.Name(), " net.pt2 ") {
				t.Errorf("its name is %s", c.Name())
			}
		}
	}
}

// An exported network gives its outputs only, and estimator hoc needs what its last layer
// gets; a built-in network gives both.
func TestExportedNetworkGivesNoFeatures(t *testing.T) {
	for model, refused := range map[string]bool{"net.pt2": true, "mlp": false} {
		dir := configtest.Write(t, map[string]string{"net.pt2": "", "c.yaml": "dataset: mnist\nmodel: " + model + "\nestimator: {name: hoc}\n"})
		_, err := config.Load(filepath.Join(dir, "c.yaml"))
		if told := err != nil && strings.Contains(err.Error(), "exported network"); told != refused || !refused && err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}
