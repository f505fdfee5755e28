package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Scope says what a setting is of.
type Scope string

// A tag scope of a field of Config, or of the struct that it is in, says which one. That of most is
// empty: what a run computes.
const (
	OfCell  Scope = "cell"  // what is computed, and in which cell of a table a run stands
	OfLoss  Scope = "loss"  // what is computed, of the loss alone: a row of a table
	OfPlace Scope = "where" // where and how a run is computed, which changes no result
	Shown   Scope = "shown" // what readers are told
)

// Setting describes a leaf of Config. Its description, all of it, is the line of its field: the key
// (yaml), what it says (the comment, which the schema has), and as tags the scope, whether it is a
// path (path), the value that an empty one stands for (usual) and whether it decides how long an epoch
// takes (cost).
type Setting struct {
	Key   string // dotted
	Scope Scope
	Path  bool   // of a file or folder, or, of trusted, perhaps no path
	Usual string // what it is where it is empty
	Cost  bool   // the duration of an epoch depends on it
	Omit  bool   // results leave it out where it is zero

	index []int
}

// Settings are those of a configuration, in the order of Config.
var Settings = settingsOf(reflect.TypeFor[Config](), Setting{}, "")

// settingsOf lists the leaves of a struct. outer is what holds for all of them.
func settingsOf(t reflect.Type, outer Setting, prefix string) (all []Setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		s := outer
		s.Key = prefix + fieldName(f)
		s.index = append(append([]int(nil), outer.index...), i)
		if scope, ok := f.Tag.Lookup("scope"); ok {
			s.Scope = Scope(scope)
		}
		s.Usual = f.Tag.Get("usual")
		s.Path = f.Tag.Get("path") == "yes"
		s.Omit = strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		s.Cost = outer.Cost || f.Tag.Get("cost") == "epoch"
		if f.Type.Kind() == reflect.Struct {
			all = append(all, settingsOf(f.Type, s, s.Key+".")...)
			continue
		}
		all = append(all, s)
	}
	return all
}

// pathKeys hold paths, relative to the folder of the file that sets them.
var pathKeys = func() map[string]bool {
	keys := map[string]bool{}
	for _, s := range Settings {
		keys[s.Key] = s.Path
	}
	for _, f := range own.Fields {
		keys["source."+f.Key] = f.Path()
	}
	return keys
}()

// Of returns the value of the setting, which may be changed.
func (s Setting) Of(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(s.index) }

// Without returns the configuration without the settings of some scopes.
func (c Config) Without(scopes ...Scope) Config {
	for _, s := range Settings {
		for _, scope := range scopes {
			if s.Scope == scope {
				s.Of(&c).SetZero()
			}
		}
	}
	return c
}

// Usual returns the configuration with one form of settings that have two: the empty one.
func (c Config) Usual() Config {
	for _, s := range Settings {
		switch v := s.Of(&c); {
		case v.Kind() == reflect.Slice && v.Len() == 0:
			v.SetZero()
		case s.Usual != "" && v.String() == s.Usual:
			v.SetString("")
		}
	}
	return c
}

// EpochKey is equal for runs whose epochs take about the same time on one machine, but for the number
// of networks of the loss.
func (c Config) EpochKey() string {
	c = c.Usual()
	var b strings.Builder
	for _, s := range Settings {
		if v := s.Of(&c); s.Cost && !v.IsZero() {
			fmt.Fprintln(&b, s.Key, v)
		}
	}
	return b.String()
}
