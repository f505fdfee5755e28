package config

import (
	"reflect"
	"strings"
	"testing"
)

// other changes the value of a setting.
func other(c Config, s Setting) Config {
	switch v := s.Of(&c); v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + .25)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
	}
	return c
}

// Settings that affect the result change the ID; those for the place of a run or for readers do not.
func TestScopes(t *testing.T) {
	c := Config{Loss: "forward-estimated", Noise: Noise{Kind: "asymmetric"}, Estimator: Estimator{Name: "percentile"}}
	for _, s := range Settings {
		if s.Key == "transition" || s.Key == "targets" || strings.HasPrefix(s.Key, "loss_settings.") {
			continue // ignored by the loss
		}
		changed := other(c, s)
		if same := changed.ID() == c.ID(); same != (s.Scope == OfPlace || s.Scope == Shown) {
			t.Errorf("%s, scope %q: the same ID is %v", s.Key, s.Scope, same)
		}
		if s.Scope != "" && !reflect.DeepEqual(changed.Without(s.Scope), c.Without(s.Scope)) {
			t.Errorf("%s is not removed with its scope %q", s.Key, s.Scope)
		}
		if reflect.DeepEqual(changed.Without("other"), c) {
			t.Errorf("%s is removed with another scope", s.Key)
		}
	}
}

// The usual value and the empty one are the same setting.
func TestUsual(t *testing.T) {
	long := Config{Precision: "float32", Optimizer: Optimizer{Schedule: "steps", Milestones: []int{}}, Hidden: []int{},
		Estimator: Estimator{Sample: "training"}}
	if got := long.Usual(); !reflect.DeepEqual(got, Config{}) {
		t.Errorf("%+v, want nothing set", got)
	}
	kept := Config{Precision: "bfloat16", Optimizer: Optimizer{Schedule: "linear"}, Hidden: []int{3},
		Estimator: Estimator{Sample: "all"}}
	if got := kept.Usual(); !reflect.DeepEqual(got, kept) {
		t.Errorf("%+v, want %+v", got, kept)
	}
}

// Each choice belongs to a setting, and the check accepts its names.
func TestChoices(t *testing.T) {
	known := map[string]bool{}
	for _, key := range Keys() {
		known[key] = true
	}
	for key, choice := range Choices {
		if !known[key] || choice.What == "" || len(choice.Names()) == 0 {
			t.Errorf("%s: %+v", key, choice)
		}
		if text := checkName(key, choice.Names()[0]); text != "" {
			t.Errorf("%s: %s", key, text)
		}
		if text := checkName(key, ""); (text == "") != choice.Optional {
			t.Errorf("%s may be empty: %v, and the check says %q", key, choice.Optional, text)
		}
	}
}
