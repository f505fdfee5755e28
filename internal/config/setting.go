package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Scope is the part of the results that a setting affects. Most settings have none: they affect what a run computes.
type Scope string

// A field of Config, or the struct around it, has its scope in a tag.
const (
	OfCell  Scope = "cell"  // what is computed, and the run's cell in a table
	OfLoss  Scope = "loss"  // what the loss computes: a table row
	OfPlace Scope = "where" // where and how a run is computed; changes no result
	Shown   Scope = "shown" // a note for readers
)

// Setting describes a leaf of Config, as the tags of its field do.
type Setting struct {
	Key   string // dotted
	Type  reflect.Type
	Scope Scope
	Path  bool   // path of a file or folder; trusted may be a number
	Usual string // the name that empty stands for
	Omit  bool   // results leave it out if zero
	Range string // of numbers, such as [0,1); empty: any
	Help  string

	index []int
}

// Settings lists all settings in the order of Config.
var Settings = settingsOf(reflect.TypeFor[Config](), Setting{}, "")

// help describes settings and groups by key.
var help = map[string]string{}

// Help describes a setting, or a group such as noise.
func Help(key string) string { return help[key] }

// byKey has the Settings by key.
var byKey = func() map[string]Setting {
	all := map[string]Setting{}
	for _, s := range Settings {
		all[s.Key] = s
	}
	return all
}()

// settingsOf lists the leaves of a struct; outer has the tags of the struct's own field.
func settingsOf(t reflect.Type, outer Setting, prefix string) (all []Setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := Setting{Key: prefix + name, Type: f.Type, Scope: outer.Scope, Usual: f.Tag.Get("usual"),
			Omit: options == "omitempty", Range: f.Tag.Get("range"),
			Help: cmp.Or(f.Tag.Get("help"), long[prefix+name]),
			Path: f.Tag.Get("path") == "yes" || isSourcePath(prefix+name), index: append(slices.Clone(outer.index), i)}
		help[s.Key] = s.Help
		if scope, ok := f.Tag.Lookup("scope"); ok {
			s.Scope = Scope(scope)
		}
		if f.Type.Kind() == reflect.Struct {
			all = append(all, settingsOf(f.Type, s, s.Key+".")...)
			continue
		}
		all = append(all, s)
	}
	return all
}

func isSourcePath(key string) bool {
	return slices.ContainsFunc(own.Fields, func(f own.Field) bool { return f.Path() && key == "source."+f.Key })
}

// isList reports whether the value is a list. It is false for a group's zero Setting.
func (s Setting) isList() bool { return s.Type != nil && s.Type.Kind() == reflect.Slice }

// isPath reports whether text, a value of the setting, is a path.
func (s Setting) isPath(text string) bool {
	switch s.Key {
	case "model":
		return Exported(text)
	case "trusted":
		_, _, drawn := (Config{Trusted: text}).TrustedDraw()
		return !drawn && !strings.HasPrefix(text, randomTrusted)
	}
	return s.Path
}

// ranges has the ranges that tags may name, and how to describe a number outside.
var ranges = map[string]struct {
	has  func(x float64) bool
	what string
}{
	"(0,)":   {func(x float64) bool { return x > 0 }, "not above 0"},
	"[0,)":   {func(x float64) bool { return x >= 0 }, "negative"},
	"[1,)":   {func(x float64) bool { return x >= 1 }, "too small; at least 1"},
	"[0,1]":  {func(x float64) bool { return x >= 0 && x <= 1 }, "not in [0, 1]"},
	"[0,1)":  {func(x float64) bool { return x >= 0 && x < 1 }, "not in [0, 1)"},
	"[0,.5)": {func(x float64) bool { return x >= 0 && x < .5 }, "not in [0, .5)"},
}

// outside describes how a number is outside the range of the setting, "" if it is inside.
func (s Setting) outside(v reflect.Value) string {
	x, isFloat := v.Interface().(float64)
	if s.Range != "" && !isFloat {
		x = float64(v.Int())
	}
	if s.Range == "" || ranges[s.Range].has(x) {
		return ""
	}
	_, more, found := strings.Cut(s.Help, ";")
	if found {
		more = ";" + more
	}
	return fmt.Sprintf("%v is %s%s", v, ranges[s.Range].what, more)
}

// Of returns the value of the setting; setting it changes c.
func (s Setting) Of(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(s.index) }

// Keys lists the dotted keys of all settings in the order of Config.
func Keys() []string { return below("") }

// below lists the keys of the settings with a prefix such as "noise.".
func below(prefix string) (keys []string) {
	for _, s := range Settings {
		if strings.HasPrefix(s.Key, prefix) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// isKey reports whether key is a setting, or a group of settings such as noise.
func isKey(key string) bool {
	_, ok := byKey[key]
	return ok || below(key+".") != nil
}

// within reports whether key is group or below it.
func within(key, group string) bool { return key == group || strings.HasPrefix(key, group+".") }

// related reports whether one of two dotted keys contains the other.
func related(a, b string) bool { return within(a, b) || within(b, a) }

// Without returns the configuration without the settings of the given scopes.
func (c Config) Without(scopes ...Scope) Config {
	for _, s := range Settings {
		if slices.Contains(scopes, s.Scope) {
			s.Of(&c).SetZero()
		}
	}
	return c
}

// Usual returns the configuration with an empty value for every setting that has its Usual value.
func (c Config) Usual() Config {
	for _, s := range Settings {
		switch v := s.Of(&c); {
		case s.isList() && v.Len() == 0:
			v.SetZero()
		case s.Usual != "" && v.String() == s.Usual:
			v.SetString("")
		}
	}
	return c
}
