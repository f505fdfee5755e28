package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

// A configuration takes a loss that another module has registered, and its settings.
func TestRegisteredLoss(t *testing.T) {
	before := slices.Clone(losses.All)
	defer func() { losses.All = before }()
	file := filepath.Join(configtest.Write(t, map[string]string{"c.yaml": "dataset: mnist\nloss: my-loss\n"}), "c.yaml")
	if _, err := config.Load(file); err == nil || !strings.Contains(err.Error(), `unknown loss "my-loss"`) {
		t.Fatalf("before it is registered: %v", err)
	}
	err := losses.Register(losses.Entry{
		Name: "my-loss", About: "a loss of a test", Settings: []losses.Setting{{Key: "q", Default: .5, Range: losses.Range{High: 1}}},
		New: func(*correction.Matrix, losses.Options) (losses.Loss, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	c := configtest.Load(t, "dataset: mnist\nloss: my-loss\nloss_settings: {q: .7}\n")[0]
	if c.LossSettings.Q != .7 || !slices.Contains(config.Losses(), "my-loss") {
		t.Errorf("settings %+v; losses %v", c.LossSettings, config.Losses())
	}
}
