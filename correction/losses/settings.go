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
	Q         float64 `json:"q,omitempty" help:"exponent of gce"`
	Alpha     float64 `json:"alpha,omitempty" help:"weight of the first part of sce and nce-rce; shape of mixup's weights"`
	Beta      float64 `json:"beta,omitempty" help:"weight of the second part of sce and nce-rce; share of the past in elr"`
	Lambda    float64 `json:"lambda,omitempty" help:"weight of the regularizer of elr and of volume-minimization"`
	Smoothing float64 `json:"smoothing,omitempty" help:"share of the uniform distribution; negative: negative smoothing"`
	LogZero   float64 `json:"log_zero,omitempty" help:"stands for log 0 in the reverse cross-entropy of sce and nce-rce"`
	Gradual   float64 `json:"gradual,omitempty" help:"epochs over which co-teaching lowers the share it trains on"`
}

// Setting is one of the Settings as a loss reads it.
type Setting struct {
	Key     string // as in a configuration
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
