// Package experiments holds the configurations of the paper's experiments, a
// folder each, with a main of a few lines, which does the runs of the YAML file of
// the folder's name, or of another one that its first argument names. The folder
// figures has a grid for each panel of the paper's figures and draws them; theory
// measures the theorems and needs no configuration.
package experiments

import "embed"

//go:generate go run ../internal/configschema

// Files are the configurations, as they lie in the folders.
//
//go:embed *.yaml */*.yaml
var Files embed.FS

// Schema is the JSON Schema of configuration files.
//
//go:embed schema.json
var Schema []byte
