// Package check looks for what makes labels wrong or results misleading before anything is trained:
// duplicates, broken files, classes that are small or that may be one. [Run] does all of it.
package check
