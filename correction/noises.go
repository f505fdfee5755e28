package correction

import "github.com/losscorr/losscorr/correction/table"

// NoiseEntry describes a kind of noise: one line of the table Noises.
type NoiseEntry struct {
	Name  string // in configurations
	Title string // in tables and figures; empty: Name
	About string // description in one line
	Level bool   // it has a level in [0, 1)
	Flips bool   // it flips certain classes to certain others, which the data set must define
	File  bool   // its T is read from a file

	// T makes the transition matrix. Only a noise with Flips set reads flips; T is nil if File is set.
	T func(classes []string, level float64, flips []Flip) (*Matrix, error)
}

// String returns the noise's name.
func (e NoiseEntry) String() string { return e.Name }

// NoNoise is the name of the noise that leaves the labels of the data unchanged.
const NoNoise = "none"

// Noises is the table of noises, in the order of tables' columns.
var Noises = table.Of[NoiseEntry]{
	{Name: NoNoise, Title: "no noise", About: "the labels of the data as they are", T: func(classes []string, _ float64,
		_ []Flip) (*Matrix, error) {
		return Identity(classes)
	}},
	{Name: "symmetric", About: "flips to all other classes, equally likely", Level: true,
		T: func(classes []string, level float64, _ []Flip) (*Matrix, error) {
			return Symmetric(classes, level)
		}},
	{Name: "asymmetric", About: "flips of some classes to one other each", Level: true, Flips: true, T: Asymmetric},
	{Name: "matrix", About: "flips by a T from a file", File: true},
}
