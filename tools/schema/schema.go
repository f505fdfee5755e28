package main

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/invopop/jsonschema"
	"github.com/losscorr/losscorr/internal/config"
)

const id = "https://github.com/losscorr/losscorr/experiments/schema.json"

// document returns the schema of a configuration file, made from the tags of config.Config.
func document() ([]byte, error) {
	r := jsonschema.Reflector{DoNotReference: true, RequiredFromJSONSchemaTags: true, Anonymous: true}
	s := r.Reflect(config.Config{})
	describe(s, "")
	trusted, _ := s.Properties.Get("trusted")
	trusted.Type, trusted.OneOf = "", []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}

	model, _ := s.Properties.Get("model")
	model.Enum, model.AnyOf = nil, []*jsonschema.Schema{{Enum: model.Enum}, {Pattern: `\.pt2$`}}

	settings := map[string]*jsonschema.Schema{} // by dotted key
	refer(s, "", "#", settings)
	s.Properties.Set("extends", &jsonschema.Schema{
		Description: "a file, or a list of files, that this one extends; paths are relative to this file",
		OneOf:       []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}},
	})
	s.Properties.Set("blocks", &jsonschema.Schema{
		Description: "files whose runs this one combines, each with its own grid; settings here apply to all of them",
		Type:        "array", Items: &jsonschema.Schema{Type: "string"},
	})
	s.Properties.Set("grid", grid(settings))
	s.ID, s.Version = id, jsonschema.Version
	s.Title, s.Description = "losscorr configuration",
		"The settings of one run, or of many with a grid. The preset holds the settings that are left out."
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// describe adds descriptions and allowed words to the keys below prefix.
func describe(s *jsonschema.Schema, prefix string) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		key, value := prefix+p.Key, p.Value
		if value.Description = config.Help(key); value.Properties != nil {
			describe(value, key+".")
		}
		if choice, ok := config.Choices[key]; ok {
			for _, word := range choice.Names() {
				value.Enum = append(value.Enum, word)
			}
		}
	}
}

// refer collects references to all keys.
func refer(s *jsonschema.Schema, prefix, path string, into map[string]*jsonschema.Schema) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		at := path + "/properties/" + p.Key
		into[prefix+p.Key] = &jsonschema.Schema{Ref: at}
		if p.Value.Properties != nil {
			refer(p.Value, prefix+p.Key+".", at, into)
		}
	}
}

// grid returns the schema of a grid, with a list of values for any key, dotted or not.
func grid(settings map[string]*jsonschema.Schema) *jsonschema.Schema {
	axes, one := jsonschema.NewProperties(), jsonschema.NewProperties()
	atLeast := uint64(1)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		axes.Set(key, &jsonschema.Schema{Type: "array", Items: settings[key], MinItems: &atLeast})
		one.Set(key, settings[key])
	}
	entries := &jsonschema.Schema{
		Type:  "array",
		Items: &jsonschema.Schema{Type: "object", Properties: one, AdditionalProperties: jsonschema.FalseSchema},
	}
	include, exclude := *entries, *entries
	include.Description = "settings of runs in addition to the grid, each at all values of the keys that it leaves out"
	exclude.Description = "settings of the runs that are left out"
	axes.Set("include", &include)
	axes.Set("exclude", &exclude)
	return &jsonschema.Schema{
		Description: "one run for each combination of the values",
		Type:        "object", Properties: axes, AdditionalProperties: jsonschema.FalseSchema,
	}
}
