package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/losscorr/losscorr/internal/config"
)

// setting is a key of the configuration with its value, of type string, bool,
// int64, uint64 or float64; a list is a string.
type setting struct {
	key   string
	value any
	yaml  string // the value as an override has it
	unset bool   // as JSON leaves it out
}

// settings lists all settings of a configuration by dotted key, in the order of
// its declaration.
func settings(c config.Config) []setting {
	list := make([]setting, len(config.Settings))
	for k, described := range config.Settings {
		v := described.Of(&c)
		s := setting{key: described.Key, value: v.Interface(), yaml: yamlText(v), unset: described.Omit && v.IsZero()}
		switch v.Kind() {
		case reflect.Int:
			s.value = v.Int()
		case reflect.Slice:
			s.value = fmt.Sprint(v.Interface())
		}
		list[k] = s
	}
	return list
}

// yamlText is a value as YAML in one word, where it has no blanks.
func yamlText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice:
		items := make([]string, v.Len())
		for k := range items {
			items[k] = yamlText(v.Index(k))
		}
		return "[" + strings.Join(items, ",") + "]"
	case reflect.String:
		if plain(v.String()) {
			return v.String()
		}
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// plain reports whether YAML reads a text as that text without quotes.
func plain(text string) bool {
	letters := false
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '/' && !letters:
			letters = true
		case r >= '0' && r <= '9' && letters, strings.ContainsRune("/._-", r) && letters:
		default:
			return false
		}
	}
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	return letters && !slices.Contains(words, strings.ToLower(text))
}

// flat is what a table's runs share as text, without what is not set, and ownData as data.
func (t *Table) flat() map[string]string {
	out := make(map[string]string)
	for _, s := range settings(*t.config) {
		if !s.unset {
			out[s.key] = fmt.Sprint(s.value)
		}
	}
	if t.data != "" {
		out["data"] = t.data
	}
	return out
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

// apart lists the settings of a table's runs that differ from those of their preset, as
// key value. The number of epochs is not among them, nor what is said elsewhere: quick,
// the data's source, and the settings of a loss, which its row names.
func apart(c config.Config) []string {
	preset, ok := presetOf(c)
	if !ok {
		return nil
	}
	mine, theirs := settings(shared(c)), settings(shared(preset))
	var list []string
	for k, s := range mine {
		if s.key == "epochs" || s.key == "quick" || strings.HasPrefix(s.key, "source.") || s.yaml == theirs[k].yaml {
			continue
		}
		if s.yaml == `""` {
			s.yaml = unset
		}
		list = append(list, s.key+" "+s.yaml)
	}
	return list
}

// unset stands for an empty value in a list of settings.
const unset = "unset"
