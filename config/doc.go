// Package config makes runs out of YAML files. A Config is one run with every
// setting resolved; Load returns the runs of a file, Read keeps the file as it was
// written, so that it can be shown with the place where each setting comes from.
//
// A configuration is built in layers, lowest first: the preset of the data set and
// model (presets.yaml), the files named by extends, the file itself, and key=value
// overrides. Maps merge, lists replace. A grid makes one run of each combination of
// its values; an axis replaces its key in every run:
//
//	extends: base.yaml
//	dataset: mnist
//	grid:
//	  noise: [{kind: none}, {kind: asymmetric, level: .6}]
//	  loss: [cross-entropy, forward]
//	  seed: [1, 2, 3]
//	  exclude: [{noise: {kind: none}, loss: forward}]
//	  include: [{loss: backward, noise: {kind: symmetric, level: .2}}] # at every seed
//
// All that is wrong with a file is one *ConfigError, which lists every problem with
// file:line:column and what to write instead.
//
//	runs, err := config.Load("mnist.yaml", "epochs=2")
//
// A run is named by its ID, 12 hex digits of the sha256 of everything that decides
// its result. Settings that its loss never reads are left out, files count by their
// content.
package config
