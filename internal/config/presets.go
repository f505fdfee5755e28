package config

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/models"
)

// presetsFile holds the settings of every preset, each with its source.
//
//go:embed presets.yaml
var presetsFile []byte

var presetTree = sync.OnceValue(func() *value {
	var ps problems
	tree := parseYAML("presets.yaml", presetsFile, &ps)
	if err := ps.err(); err != nil {
		panic(err)
	}
	return tree
})

// presetLayer returns the lowest layer, the preset's settings for the data set, model
// and preset that the layers above name, or else those of under. The second result is false where one
// of the names is wrong; the problem is then in ps. source is that of a user's own data.
func presetLayer(tree *value, under names, source own.Source, file string, ps *problems) (*value, bool) {
	all := presetTree()
	base := all.fields["defaults"]
	ok := true
	at := func(key string) Position { return tree.position(key, Position{Source: file}) }
	name := func(key, fallback string) string {
		text := tree.scalar(key, fallback)
		if bad := checkName(key, text); bad != "" {
			ps.add(at(key), key, "%s", bad)
			ok = false
		}
		return text
	}
	data := published.All.Named(name("dataset", under.dataset))
	preset := name("preset", cmp.Or(under.preset, data.Preset, base.scalar("preset", "")))
	networks := all.fields[data.Name]
	if networks == nil {
		return base, false
	}
	known := ModelsOf(data.Name)
	model, exported := known[0], Exported(tree.scalar("model", under.model))
	if data.Own {
		var err error
		if model, err = ownModel(known, source); err != nil {
			ps.add(at("source.path"), "source.path", "%v", err)
			return base, false
		}
	}
	if !exported {
		model = name("model", cmp.Or(under.model, model))
	}
	if data.Preset != "" {
		base = merge(base, wrap("preset", &value{kind: scalarValue, tag: "!!str", text: preset, at: base.at}, base.at))
	}
	if !ok {
		return base, false
	}
	settings := networks.fields[model]
	if settings == nil {
		ps.add(at("model"), "model", "%q has no settings for data set %s; it has: %v", model, data.Name, known)
		return base, false
	}
	if !exported {
		at := networks.keyAt[model]
		base = merge(base, wrap("model", &value{kind: scalarValue, at: at, tag: "!!str", text: model}, at))
	}
	layers := []*value{networks.fields["all"], networks.fields[preset], settings.fields["all"], settings.fields[preset]}
	if exported {
		layers = append(layers, all.fields["exported"])
	}
	if data.Own {
		layers = append(layers, ownLayers(all, source)...)
	}
	for _, layer := range layers {
		base = merge(base, layer)
	}
	return base, true
}

// position is where a key has its value, or else where it would be expected.
func (v *value) position(key string, expected Position) Position {
	if found := v.get(key); found != nil {
		return found.at
	}
	return expected
}

// ownModel is the usual network for own data.
func ownModel(known []string, source own.Source) (string, error) {
	kind, err := source.Kind()
	if source.Backbone != "" || source.View != "" {
		return head, err
	}
	return firstFor(known, kind), err
}

// ownLayers are the settings for how own data is looked at.
func ownLayers(all *value, source own.Source) (layers []*value) {
	if source.Backbone != "" || views.All.Named(source.View).Encoder != "" {
		layers = append(layers, all.fields["backbone"])
	}
	if layer := all.fields["views"].fields[source.View]; layer != nil {
		layers = append(layers, layer)
	}
	return layers
}

// Defaults returns the configuration of a run of which no more is said than c's data, network and preset.
func (c Config) Defaults() (Config, error) {
	ps := &problems{}
	out := Config{Source: c.Source}
	base, _ := presetLayer(newMap(Position{}), names{dataset: c.Dataset, preset: c.Preset, model: c.Model}, c.Source, "",
		ps)
	if err := ps.err(); err != nil {
		return Config{}, err
	}
	dec := decoder{ps: ps, origins: map[string]Position{}}
	dec.structure(base, "", reflectValue(&out))
	out.Dataset, out.Preset = c.Dataset, cmp.Or(c.Preset, out.Preset)
	if Exported(c.Model) {
		out.Model = c.Model
	}
	return out, NewError(append(ps.list, out.problems()...)...)
}

// head is the default network on the features of a backbone.
const head = "linear"

// firstFor returns the first of some networks that takes examples of a kind.
func firstFor(names []string, kind dataset.Kind) string {
	for _, name := range names {
		if inputOf(kind) == models.All.Named(name).Input {
			return name
		}
	}
	return names[0]
}

// inputOf is the input of the networks that take examples of a kind.
func inputOf(kind dataset.Kind) models.Input {
	return map[dataset.Kind]models.Input{dataset.Vector: models.Pixels, dataset.Image: models.Images,
		dataset.Text: models.Words}[kind]
}

// ModelsOf returns the models that have settings for a data set, its default first.
func ModelsOf(dataset string) []string {
	networks := presetTree().fields[dataset]
	if networks == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(networks.keys), func(key string) bool { return !models.All.Has(key) })
}
