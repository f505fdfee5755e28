package losses_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
)

// Every field of Settings has a key that At finds.
func TestSettingsHaveKeys(t *testing.T) {
	var s losses.Settings
	keys := losses.SettingKeys()
	fields := reflect.TypeOf(s)
	if fields.NumField() != len(keys) {
		t.Fatalf("%d fields, keys %v", fields.NumField(), keys)
	}
	for i := range keys {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if !slices.Contains(keys, name) || s.At(name) != reflect.ValueOf(&s).Elem().Field(i).Addr().Interface() {
			t.Errorf("field %s has no key of its own", fields.Field(i).Name)
		}
	}
	if s.At("gamma") != nil {
		t.Error("there is a setting gamma")
	}
}

// A loss gets the settings that it reads, with its defaults in place of 0.
func TestComplete(t *testing.T) {
	e := losses.Entry{Settings: []losses.Setting{{Key: "q", Default: .7}, {Key: "beta", Default: 2}}}
	got := e.Complete(losses.Settings{Alpha: 5, Beta: 3})
	if want := (losses.Settings{Q: .7, Beta: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, reads := e.Setting("alpha"); reads {
		t.Error("it reads alpha")
	}
	if s, reads := e.Setting("beta"); !reads || s.Default != 2 {
		t.Errorf("beta is %+v, %v", s, reads)
	}
}

// A range has what its text says.
func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		r    losses.Range
		text string
		in   []float64
		out  []float64
	}{
		{losses.Range{Low: 0, High: 1, Closed: true}, "(0, 1]", []float64{.1, 1}, []float64{0, 1.1, math.NaN()}},
		{losses.Range{Low: 0, High: 1}, "(0, 1)", []float64{.1, .9}, []float64{0, 1, math.NaN()}},
		{losses.Range{Low: 0, High: inf}, "above 0", []float64{1e-9, 1e9}, []float64{0, -1, inf, math.NaN()}},
		{losses.Range{Low: -inf, High: 0}, "below 0", []float64{-1e-9, -1e9}, []float64{0, 1, -inf}},
	} {
		if tt.r.String() != tt.text {
			t.Errorf("%v, want %s", tt.r, tt.text)
		}
		for _, v := range tt.in {
			if !tt.r.Has(v) {
				t.Errorf("%v is not %v", v, tt.r)
			}
		}
		for _, v := range tt.out {
			if tt.r.Has(v) {
				t.Errorf("%v is %v", v, tt.r)
			}
		}
	}
}
