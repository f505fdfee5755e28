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

// valueText returns the value of a setting, with lists as JSON.
func valueText(s config.Setting, c config.Config) string {
	v := s.Of(&c)
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	if v.Len() == 0 {
		return ""
	}
	text, _ := json.Marshal(v.Interface()) // cannot fail for numbers and texts
	return string(text)
}

// shared returns a configuration without the settings that vary inside a block.
func shared(c config.Config) config.Config {
	return c.Without(config.OfCell, config.OfLoss, config.OfPlace, config.Shown).Usual()
}

// presets caches the results of presetOf.
var presets sync.Map

// presetOf returns the configuration of a run's preset for its data and network. It returns
// false for names that this program does not have, or own data that is gone.
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

// differences lists, as "key value", the settings of c that differ from other's.
func differences(c, other config.Config) (list []string) {
	for _, s := range config.Settings {
		if text := valueText(s, c); text != valueText(s, other) {
			list = append(list, s.Key+" "+cmp.Or(text, "unset"))
		}
	}
	return list
}

// differing lists the settings shared by a block's runs that differ from their preset's, except those named elsewhere:
// epochs, quick, and the data's source.
func differing(c config.Config) []string {
	preset, ok := presetOf(c)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(differences(shared(c), shared(preset)), func(text string) bool {
		return strings.HasPrefix(text, "epochs ") || strings.HasPrefix(text, "quick ") || strings.HasPrefix(text, "source.")
	})
}

// rowName returns the loss of a configuration and, in parentheses, its own settings that differ from base, such as
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

// estimatorText returns the estimator with its nonzero settings.
func estimatorText(c config.Config) string {
	text := c.Estimator.Name
	for _, s := range config.Settings {
		if key, ok := strings.CutPrefix(s.Key, estimatorKeys); ok && key != "name" && !s.Of(&c).IsZero() {
			text += " " + key + " " + valueText(s, c)
		}
	}
	return text
}

// fromHere returns a path relative to the working directory if it is below it, so that tables
// do not depend on the machine.
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
