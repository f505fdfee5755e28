package config

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/models"
)

// presetsFile holds the settings of every preset and their sources.
//
//go:embed presets.yaml
var presetsFile []byte

// presetLayers holds the layers of presetsFile.
type presetLayers struct {
	at     map[string]values  // by dotted path, such as imdb.lstm.paper
	models map[string][]entry // names of a data set's networks, its default first
	sets   map[string]bool    // keys of settings in any layer
}

var presets = sync.OnceValue(func() presetLayers {
	var ps problems
	r := reader{source: "presets.yaml", ps: &ps}
	out := presetLayers{map[string]values{}, map[string][]entry{}, map[string]bool{}}
	out.read(&r, r.parse(presetsFile, "no presets"), "")
	if err := ps.err(); err != nil {
		panic(err)
	}
	return out
})

// read collects the layers below a path. A layer is named after a preset, or after what it applies to.
func (p *presetLayers) read(r *reader, n *yaml.Node, path string) {
	layers := append([]string{"defaults", "exported", "backbone", "all"}, Presets...)
	for k, v := range r.entries(n) {
		if !slices.Contains(layers, k.Value) && path != "views." {
			if models.All.Has(k.Value) {
				data := path[:len(path)-1]
				p.models[data] = append(p.models[data], entry{k.Value, r.at(k)})
			}
			p.read(r, v, path+k.Value+".")
			continue
		}
		layer := values{}
		r.group(v, "", layer)
		p.at[path+k.Value] = layer
		for key := range layer {
			p.sets[key] = true
		}
	}
}

// presetOf returns the lowest layer: the settings of the data set, model and preset that the layers above name, or of
// their defaults. The second result is false if a name is wrong or a user's data cannot be read.
func presetOf(given values) (values, bool) {
	all := presets()
	base := all.at["defaults"]
	data := published.All.Named(given.text("dataset"))
	known := all.models[data.Name]
	if known == nil {
		return base, false
	}
	if data.Preset != "" {
		base = values{"preset": {data.Preset, base["preset"].at}}.over(base)
	}
	preset := cmp.Or(given.text("preset"), base.text("preset"))
	source := given.config().Source
	model, err := known[0], error(nil)
	if data.Own {
		model, err = ownModel(known, source)
	}
	name, exported := given.text("model"), Exported(given.text("model"))
	if name != "" && !exported {
		i := slices.IndexFunc(known, func(e entry) bool { return e.value == name })
		if i < 0 {
			return base, false
		}
		model = known[i]
	}
	if err != nil || !slices.Contains(Presets, preset) {
		return base, false
	}
	path := data.Name + "." + model.value.(string)
	layers := []string{data.Name + ".all", data.Name + "." + preset, path + ".all", path + "." + preset}
	if exported {
		layers = append(layers, "exported")
	} else {
		base = values{"model": model}.over(base)
	}
	if data.Own {
		if source.Backbone != "" || views.All.Named(source.View).Encoder != "" {
			layers = append(layers, "backbone")
		}
		layers = append(layers, "views."+source.View)
	}
	out := maps.Clone(base)
	for _, name := range layers {
		maps.Copy(out, all.at[name])
	}
	return out, true
}

// ownModel returns the default network for own data: the first that takes its kind, or a linear layer on the features
// of a backbone or view.
func ownModel(known []entry, source own.Source) (entry, error) {
	kind, err := source.Kind()
	for _, e := range known {
		if source.Backbone != "" || source.View != "" {
			if e.value == "linear" {
				return e, err
			}
		} else if inputOf(kind) == models.All.Named(e.value.(string)).Input {
			return e, err
		}
	}
	return known[0], err
}

// inputOf returns the input of networks for examples of a kind.
func inputOf(kind dataset.Kind) models.Input {
	return map[dataset.Kind]models.Input{dataset.Vector: models.Pixels, dataset.Image: models.Images,
		dataset.Text: models.Words}[kind]
}

// Defaults returns the preset for c's data set and model.
func (c Config) Defaults() (Config, error) {
	given := valuesOf(Config{Dataset: c.Dataset, Preset: c.Preset, Model: c.Model, Source: c.Source}, Position{})
	base, known := presetOf(given)
	out := given.over(base).config()
	if !known {
		return Config{}, out.Validate()
	}
	return out, out.Validate()
}

// ModelsOf returns the models with settings for a data set, its default first.
func ModelsOf(dataset string) (names []string) {
	for _, e := range presets().models[dataset] {
		names = append(names, e.value.(string))
	}
	return names
}
