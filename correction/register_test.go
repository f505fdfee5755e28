package correction

import (
	"slices"
	"strings"
	"testing"
)

func TestRegisterLoss(t *testing.T) {
	before := slices.Clone(Losses)
	defer func() { Losses = before }()
	good := LossEntry{Name: "my-loss", About: "a loss of a test", New: func(*Matrix, LossOptions) (Loss, error) { return nil, nil }}
	for want, change := range map[string]func(e *LossEntry){
		"there is one of this name":  func(e *LossEntry) { e.Name = "forward" },
		"lower-case letters":         func(e *LossEntry) { e.Name = "My loss" },
		"no New":                     func(e *LossEntry) { e.New = nil },
		"no About":                   func(e *LossEntry) { e.About = "" },
		"has no FormOf":              func(e *LossEntry) { e.T = EstimatedT },
		`a form of "other"`:          func(e *LossEntry) { e.FormOf = "other" },
		"trains 3 networks":          func(e *LossEntry) { e.Networks = 3 },
		`setting "gamma" is not one`: func(e *LossEntry) { e.Settings = []Setting{{"gamma", 1, aboveZero}} },
		"is not in (0, 1)":           func(e *LossEntry) { e.Settings = []Setting{{"beta", 2, share}} },
	} {
		e := good
		change(&e)
		if err := RegisterLoss(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if len(Losses) != len(before) {
		t.Fatalf("%d losses after refused ones, want %d", len(Losses), len(before))
	}
	if err := RegisterLoss(good); err != nil || Losses.Named("my-loss").About != good.About {
		t.Errorf("%v; the table has %q", err, Losses.Named("my-loss").About)
	}
	if err := RegisterLoss(good); err == nil {
		t.Error("a loss was registered twice")
	}
}
