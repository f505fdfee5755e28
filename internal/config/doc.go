// Package config turns YAML files into runs. A [Config] is one run with every setting resolved. [Load] returns the runs
// of a file. [Read] keeps the file as written, as a [Document], which can show where each setting comes from.
//
// A setting is a field of [Config], described by its tags: key, help, range, scope.
//
// A configuration is built in layers, lowest first: the preset of the data set and model (presets.yaml), the files
// named by extends, the file itself, and key=value overrides. Each layer is a set of values by dotted key, and replaces
// the values of lower layers. A grid makes one run for each combination of its values. An axis is a key of the grid
// with its values, and replaces that key in every run:
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
// All problems of a file are reported as one [*ConfigError], each with file:line:column and how to fix it.
//
//	runs, err := config.Load("mnist.yaml", "epochs=2")
//
// A run's name is its ID: 12 hex digits of the SHA-256 of everything that affects its result. Settings that the run's
// loss never reads are left out. Files enter by their content, not by their path.
package config
