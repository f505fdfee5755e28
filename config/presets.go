package config

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

// presetsFile holds the settings of every preset, each with its source.
//
//go:embed presets.yaml
var presetsFile []byte

const presetsSource = "presets.yaml"

var presetTree = sync.OnceValues(func() (*value, error) {
	var ps problems
	tree := parseYAML(presetsSource, presetsFile, &ps)
	if err := ps.err(); err != nil {
		return nil, fmt.Errorf("built-in presets: %w", err)
	}
	return tree, nil
})

// presetLayer returns the lowest layer, the preset's settings for the data set, model
// and preset that the layers above name. The second result is false where one of the
// names is wrong; the problem is then in ps.
func presetLayer(tree *value, file string, ps *problems) (*value, bool) {
	all, err := presetTree()
	if err != nil {
		ps.add(Position{}, "", "%v", err)
		return nil, false
	}
	base := all.fields["defaults"]
	ok := true
	name := func(key, what, fallback string, known []string) string {
		text := tree.scalar(key, fallback)
		if bad := checkName(what, text, known); bad != "" {
			at := Position{Source: file}
			if v := tree.get(key); v != nil {
				at = v.at
			}
			ps.add(at, key, "%s", bad)
			ok = false
		}
		return text
	}
	dataset := name("dataset", "data set", "", Datasets)
	preset := name("preset", "preset", base.scalar("preset", ""), Presets)
	models := all.fields[dataset]
	if models == nil {
		return base, false
	}
	model, exported := models.keys[0], Exported(tree.scalar("model", ""))
	if !exported {
		model = name("model", "model", models.keys[0], Models)
	}
	if !ok {
		return base, false
	}
	settings := models.fields[model]
	if settings == nil {
		ps.add(tree.get("model").at, "model", "%q has no settings for data set %s; it has: %v", model, dataset, models.keys)
		return base, false
	}
	if !exported {
		base = merge(base, wrap("model", models.nameValue(model), models.keyAt[model]))
	}
	base = merge(base, settings.fields["all"])
	base = merge(base, settings.fields[preset])
	if exported {
		base = merge(base, all.fields["exported"])
	}
	return base, true
}

// nameValue returns the key itself as a value, at the key's position.
func (v *value) nameValue(key string) *value {
	return &value{kind: scalarValue, at: v.keyAt[key], tag: "!!str", text: key}
}

// ModelsOf returns the models that have settings for a data set, its default first.
func ModelsOf(dataset string) []string {
	all, err := presetTree()
	if err != nil || all.fields[dataset] == nil || dataset == "defaults" {
		return nil
	}
	return slices.Clone(all.fields[dataset].keys)
}
