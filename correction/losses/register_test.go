package losses

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/expect"
)

// Register accepts a valid entry once and explains why it refuses others.
func TestRegisterLoss(t *testing.T) {
	before := slices.Clone(All)
	defer func() { All = before }()
	makes := func(*correction.Matrix, Options) (Loss, error) { return nil, nil }
	good := Entry{Name: "my-loss", About: "a loss of a test", New: makes}
	for want, change := range map[string]func(e *Entry){
		"the name is taken":          func(e *Entry) { e.Name = "forward" },
		"lower-case letters":         func(e *Entry) { e.Name = "My loss" },
		"set New":                    func(e *Entry) { e.New = nil },
		"set About":                  func(e *Entry) { e.About = "" },
		"set FormOf":                 func(e *Entry) { e.T = EstimatedT },
		`a form of "other"`:          func(e *Entry) { e.FormOf = "other" },
		"trains 3 networks":          func(e *Entry) { e.Networks = 3 },
		`setting "gamma" is unknown`: func(e *Entry) { e.Settings = []Setting{{"gamma", 1, aboveZero}} },
		"choose one in (0, 1)":       func(e *Entry) { e.Settings = []Setting{{"beta", 2, share}} },
	} {
		e := good
		change(&e)
		expect.Fails(t, Register(e), want)
	}
	expect.Same(t, len(before), len(All), "losses after refused ones")
	expect.OK(t, Register(good))
	expect.Same(t, good.About, All.Named("my-loss").About)
}
