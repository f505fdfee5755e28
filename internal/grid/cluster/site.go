package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"go.yaml.in/yaml/v4"
)

// Option is a setting of a site. Its key in a site file is the name with _ instead of -. It is a flag unless Usage is
// empty.
type Option struct {
	Name     string // such as max-parallel
	Usage    string
	Value    any            // the setting: a *string, *int or *bool
	Form     *regexp.Regexp // of a non-empty string; nil: any
	Example  string         // of such a string
	Required string         // the error if the string is empty; empty: optional
	Default  string         // meaning of an empty string or 0, for help
}

// LoadSite reads a site file, which is YAML, into a scheduler's settings. Unknown keys and wrong values give a
// *SiteError.
func LoadSite(path string, s Scheduler) error {
	data, err := files.Read(path, 1<<20)
	if err != nil {
		return &SiteError{fmt.Errorf("site file: %w", err)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if err := yaml.Load(data, s, yaml.WithKnownFields()); err != nil {
		text := strings.TrimPrefix(err.Error(), "yaml: ")
		if m := unknownKey.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: unknown key %s", m[1], m[2])
		}
		return &SiteError{fmt.Errorf("site file %s: %s; docs/clusters.md lists the keys", path, text)}
	}
	if err := check(s); err != nil {
		return &SiteError{fmt.Errorf("site file %s: %w", path, err)}
	}
	return nil
}

// unknownKey finds the first unknown key in an error of the YAML reader.
var unknownKey = regexp.MustCompile(`line (\d+): field (\S+) not found in type`)

// Validate checks a scheduler's settings after the site file and the flags were read.
func Validate(s Scheduler) error {
	for _, o := range s.Options() {
		if text, ok := o.Value.(*string); ok && *text == "" && o.Required != "" {
			return errors.New(o.Required)
		}
	}
	return check(s)
}

// check checks the settings that are set.
func check(s Scheduler) error {
	for _, o := range s.Options() {
		switch v := o.Value.(type) {
		case *string:
			if *v != "" && o.Form != nil && !o.Form.MatchString(*v) {
				return fmt.Errorf("%s %q is not valid; an example is %s", o.Name, *v, o.Example)
			}
		case *int:
			if *v < 0 {
				return fmt.Errorf("%s %d is negative", o.Name, *v)
			}
		}
	}
	return s.Validate()
}

// SiteError reports unusable settings of a cluster.
type SiteError struct{ Err error }

// Error describes the problem.
func (e *SiteError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SiteError) Unwrap() error { return e.Err }
