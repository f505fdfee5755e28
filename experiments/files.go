// Package experiments holds the configurations of the paper's experiments, a
// folder each. Every folder has a main of a few lines, which does the runs of the
// YAML file of the folder's name, or of another one that its first argument names.
package experiments

import "embed"

// Files are the configurations, as they lie in the folders.
//
//go:embed *.yaml */*.yaml
var Files embed.FS
