// Package layers tests how the packages fit together: which may import which, that the public packages (torch,
// models, correction, experiments) name no internal type in what they export, and how many lines of code each room
// may have. It has no code of its own.
package layers
