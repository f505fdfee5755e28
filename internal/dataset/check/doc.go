// Package check looks for problems in data before training: duplicates, broken files, small
// classes, and classes that may be one. [Run] takes a data set and returns a [Report].
package check
