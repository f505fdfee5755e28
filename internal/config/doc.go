// Package config turns YAML files into runs. A [Config] is one run with every
// setting resolved. [Load] returns the runs of a file. [Read] keeps the file as it
// was written, as a [Document], which can show where each setting comes from.
//
// A setting is a field of [Config] and described by its tags: key, help, range, scope.
//
// A configuration is built in layers, lowest first: the preset of the data set and
// model (presets.yaml), the files named by extends, the file itself, and key=value
// overrides. Each layer is a set of values by dotted key, decoded where it is written;
// a layer replaces the values of lower ones. A grid makes one run for
// each combination of its values. An axis is a key of the grid with its values, and
// replaces that key in every run:
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
// Everything that is wrong with a file is reported as one [*ConfigError], which lists
// each problem with file:line:column and what to write instead.
//
//	runs, err := config.Load("mnist.yaml", "epochs=2")
//
// A run is named by its ID, 12 hex digits of the SHA-256 of everything that decides
// its result. Settings that the loss of the run never reads are left out. Files enter
// by their content, not by their path.
package config
