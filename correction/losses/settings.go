package losses

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Settings are the constants in the formulas of the losses. A loss reads the settings that its Entry lists; 0 is its
// default.
type Settings struct {
	Q float64 `yaml:"q,omitempty" json:"q,omitempty"` // exponent of gce
	// weight of the first part of sce and nce-rce; shape of the distribution of mixup's weights
	Alpha float64 `yaml:"alpha,omitempty" json:"alpha,omitempty"`
	// weight of the second part of sce and nce-rce; share of the past in the targets of elr
	Beta float64 `yaml:"beta,omitempty" json:"beta,omitempty"`
	// weight of the regularizer of elr and of volume-minimization
	Lambda float64 `yaml:"lambda,omitempty" json:"lambda,omitempty"`
	// share of the uniform distribution in the targets of label smoothing; negative for negative label smoothing
	Smoothing float64 `yaml:"smoothing,omitempty" json:"smoothing,omitempty"`
	// value of log 0 in the reverse cross-entropy of sce and nce-rce, A in their papers
	LogZero float64 `yaml:"log_zero,omitempty" json:"log_zero,omitempty"`
	// epochs over which co-teaching lowers the share of examples that it trains on
	Gradual float64 `yaml:"gradual,omitempty" json:"gradual,omitempty"`
}

// Setting is one of the Settings as a loss reads it.
type Setting struct {
	Key     string // its key in YAML
	Default float64
	Range
}

// SettingKeys lists the keys of all Settings.
func SettingKeys() []string {
	return []string{"q", "alpha", "beta", "lambda", "smoothing", "log_zero", "gradual"}
}

// At returns the setting with the key, or nil if the key is unknown.
func (s *Settings) At(key string) *float64 {
	return map[string]*float64{
		"q": &s.Q, "alpha": &s.Alpha, "beta": &s.Beta, "lambda": &s.Lambda, "smoothing": &s.Smoothing, "log_zero": &s.LogZero,
		"gradual": &s.Gradual,
	}[key]
}

// Complete returns the settings that the loss reads, with its defaults in place of 0, and clears all others.
func (e Entry) Complete(s Settings) (out Settings) {
	for _, setting := range e.Settings {
		*out.At(setting.Key) = cmp.Or(*s.At(setting.Key), setting.Default)
	}
	return out
}

// Setting returns how the loss reads the setting with the key, or false if it does not read it.
func (e Entry) Setting(key string) (Setting, bool) {
	i := slices.IndexFunc(e.Settings, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return e.Settings[i], true
}

// Range is the interval (Low, High), or (Low, High] if Closed.
type Range struct {
	Low, High float64
	Closed    bool
}

var (
	aboveZero = Range{Low: 0, High: math.Inf(1)}
	belowZero = Range{Low: math.Inf(-1), High: 0}
	share     = Range{Low: 0, High: 1}
)

// Has reports whether v is in the range.
func (r Range) Has(v float64) bool { return v > r.Low && (v < r.High || r.Closed && v == r.High) }

// String returns the range as in "(0, 1]", "above 0" or "below 0".
func (r Range) String() string {
	switch {
	case math.IsInf(r.High, 1):
		return fmt.Sprintf("above %v", r.Low)
	case math.IsInf(r.Low, -1):
		return fmt.Sprintf("below %v", r.High)
	case r.Closed:
		return fmt.Sprintf("(%v, %v]", r.Low, r.High)
	}
	return fmt.Sprintf("(%v, %v)", r.Low, r.High)
}
