package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/config"
)

// valueText is the value of a setting, a list as JSON.
func valueText(s config.Setting, c config.Config) string {
	v := s.Of(&c)
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	if v.Len() == 0 {
		return ""
	}
	text, _ := json.Marshal(v.Interface()) // of numbers and texts
	return string(text)
}

// shared is a configuration without what may differ inside a block.
func shared(c config.Config) config.Config {
	return c.Without(config.OfCell, config.OfLoss, config.OfPlace, config.Shown).Usual()
}

// presets holds the configurations that presetOf has made, by what makes them.
var presets sync.Map

// presetOf is the configuration that a run's preset gives for its data and network. It
// is false where they cannot be had: a name of another program, or own data that is gone.
func presetOf(c config.Config) (config.Config, bool) {
	key := fmt.Sprintf("%q", []any{c.Dataset, c.Model, c.Preset, c.Source})
	if known, ok := presets.Load(key); ok {
		preset, ok := known.(config.Config)
		return preset, ok
	}
	preset, err := c.Defaults()
	if err != nil {
		presets.Store(key, nil)
		return config.Config{}, false
	}
	presets.Store(key, preset)
	return preset, true
}

// differences lists the settings of a configuration that differ from those of another, as key value.
func differences(c, other config.Config) (list []string) {
	for _, s := range config.Settings {
		if text := valueText(s, c); text != valueText(s, other) {
			list = append(list, s.Key+" "+cmp.Or(text, "unset"))
		}
	}
	return list
}

// unlike lists the settings that a block's runs share and that differ from those of their preset. The number of epochs
// is not among them, nor what is named elsewhere: quick, and the data's source.
func unlike(c config.Config) []string {
	preset, ok := presetOf(c)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(differences(shared(c), shared(preset)), func(text string) bool {
		return strings.HasPrefix(text, "epochs ") || strings.HasPrefix(text, "quick ") || strings.HasPrefix(text, "source.")
	})
}

// rowName is the loss of a configuration, with the settings of its own that differ from those of a base, such as
// forward-estimated (hoc kappa 0.3, trusted 2).
func rowName(c, base config.Config) string {
	base.Loss = c.Loss
	base = cellConfig(base)
	var parts []string
	for _, s := range config.Settings {
		text := valueText(s, c)
		switch {
		case s.Scope != config.OfLoss:
		case s.Key == "estimator.name" && c.Estimator != base.Estimator:
			parts = append(parts, estimatorText(c))
		case strings.HasPrefix(s.Key, estimatorKeys) || text == valueText(s, base):
		case s.Key == "corrected":
			parts = append(parts, "labels "+filepath.Base(text))
		case s.Key == "transition":
			parts = append(parts, "T from "+text)
		default:
			parts = append(parts, s.Key[strings.LastIndex(s.Key, ".")+1:]+" "+cmp.Or(text, "unset"))
		}
	}
	if parts == nil {
		return c.Loss
	}
	return c.Loss + " (" + strings.Join(parts, ", ") + ")"
}

const estimatorKeys = "estimator."

// estimatorText is the estimator with its settings that are not 0.
func estimatorText(c config.Config) string {
	text := c.Estimator.Name
	for _, s := range config.Settings {
		if key, ok := strings.CutPrefix(s.Key, estimatorKeys); ok && key != "name" && !s.Of(&c).IsZero() {
			text += " " + key + " " + valueText(s, c)
		}
	}
	return text
}

// fromHere is a file's path from the working directory where it lies below that, so that a
// table that is passed on names no folder of one machine.
func fromHere(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}
