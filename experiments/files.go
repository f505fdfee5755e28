// Package experiments holds the configurations of the paper's experiments, one folder
// each, with a main of a few lines. The main executes the runs of the YAML file with the
// folder's name, or of the file that its first argument names. The folder figures has a
// grid for each panel of the paper's figures and draws them. The folder theory measures
// the theorems and has no configuration.
//
//	document, err := config.ReadFS(experiments.Files, "mnist/mnist.yaml")
package experiments

import "embed"

//go:generate go run ../tools/schema

// Files holds the configurations, in their folders.
//
//go:embed *.yaml */*.yaml
var Files embed.FS

// Schema is the JSON Schema of configuration files.
//
//go:embed schema.json
var Schema []byte
