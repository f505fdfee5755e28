package correction

import "github.com/losscorr/losscorr/internal/table"

// NoiseEntry is what the rest of the program knows of a kind of noise: its line in
// the table of noises.
type NoiseEntry struct {
	Name  string // in configurations
	Title string // in tables and figures; empty: Name
	About string // what it is, in a line
	Level bool   // it has a level in [0, 1)
	Flips bool   // it flips certain classes into certain others, which not every data set names
	File  bool   // its T is read from a file

	// T makes the transition matrix; flips are for a noise that Flips. It is nil of a
	// noise by File.
	T func(classes []string, level float64, flips []Flip) (*Matrix, error)
}

// String returns the noise's name.
func (e NoiseEntry) String() string { return e.Name }

// NoNoise is the noise that leaves the labels of the data as they are.
const NoNoise = "none"

// Noises is the table of noises, in the order of tables' columns.
var Noises = table.Of[NoiseEntry]{
	{Name: NoNoise, Title: "no noise", About: "the labels of the data as they are", T: func(classes []string, _ float64, _ []Flip) (*Matrix, error) { return Identity(classes) }},
	{Name: "symmetric", About: "flips to all other classes, equally likely", Level: true, T: func(classes []string, level float64, _ []Flip) (*Matrix, error) {
		return Symmetric(classes, level)
	}},
	{Name: "asymmetric", About: "flips of some classes to one other each", Level: true, Flips: true, T: Asymmetric},
	{Name: "matrix", About: "flips by a T from a file", File: true},
}
