package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
)

// shared is a configuration without what may differ inside a table.
func shared(c config.Config) config.Config {
	return c.Without(config.OfCell, config.OfLoss, config.OfPlace, config.Shown).Usual()
}

// groupKey is equal for the runs of a table.
func groupKey(r *Run) string {
	return r.Result.DataVariant + "\n" + ownData(r) + "\n" + tableKey(r.Result.Config)
}

// ownData stands for the content of a user's own data, in eight hex digits: that of a file may
// change between two runs. It is empty for other data, of which the variant says which copy it
// is, and for a run without an environment.
func ownData(r *Run) string {
	if !r.Result.Config.DataEntry().Own {
		return ""
	}
	sum := strings.Join(slices.Sorted(maps.Values(r.Environment.Data)), " ")
	if len(r.Environment.Data) > 1 {
		sum = fmt.Sprintf("%x", sha256.Sum256([]byte(sum)))
	}
	return sum[:min(8, len(sum))]
}

func tableKey(c config.Config) string {
	c = shared(c)
	text, err := json.Marshal(c)
	if err != nil {
		// JSON has no NaN, so what was read from it can be written again; what
		// was not still gets a key of its own.
		return fmt.Sprintf("%+v", c)
	}
	return string(text)
}

// tellApart names for tables that still look the same the settings in which they differ:
// of a preset that is not known, or the source and the content of own data.
func tellApart(tables []*Table) {
	alike := make(map[string][]*Table)
	for _, t := range tables {
		name := t.name()
		alike[name] = append(alike[name], t)
	}
	for _, group := range alike {
		keys := make(map[string]bool)
		flat := make([]map[string]string, len(group))
		for i, t := range group {
			flat[i] = t.flat()
			for k := range flat[i] {
				keys[k] = true
			}
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			if !slices.ContainsFunc(flat, func(of map[string]string) bool { return of[k] != flat[0][k] }) {
				continue
			}
			for i, t := range group {
				if t.Settings != "" {
					t.Settings += ", "
				}
				t.Settings += k + " " + cmp.Or(flat[i][k], unset)
			}
		}
	}
}

// knowsTruth reports whether a run's loss is a correction by the T that made
// the noise.
func knowsTruth(c config.Config) bool {
	return losses.All.Named(c.Loss).T == losses.KnownT && c.Transition == ""
}

// lossVariant is a loss with the settings that belong to it alone.
type lossVariant struct {
	loss       string
	clip       float64
	constants  losses.Settings
	estimator  config.Estimator
	transition string
	trusted    string
	targets    string
	corrected  string
}

// variant returns that of a run, whose files stand for their content.
func (n fileNames) variant(r *Run) lossVariant {
	v := variant(r.Result.Config)
	v.transition, v.trusted = n.of(r, "transition", v.transition), n.of(r, "trusted", v.trusted)
	v.targets, v.corrected = n.of(r, "targets", v.targets), n.of(r, "corrected", v.corrected)
	return v
}

func variant(c config.Config) lossVariant {
	c = c.Essential()
	if c.Corrected != "" {
		c.Transition = "" // the loss does not use it
	}
	return lossVariant{c.Loss, c.Clip, c.LossSettings, c.Estimator, c.Transition, c.Trusted, c.Targets, c.Corrected}
}

// rowNames names each variant by its loss, and adds the settings of its own that differ
// from the preset's. Where the preset is not known, it adds those in which several
// variants of a loss differ, and always trusted labels, which are more than the other
// rows were given.
func (n fileNames) rowNames(runs []*Run) map[lossVariant]string {
	variants := make(map[string][]lossVariant)
	for _, r := range runs {
		if v := n.variant(r); !slices.Contains(variants[v.loss], v) {
			variants[v.loss] = append(variants[v.loss], v)
		}
	}
	names := make(map[lossVariant]string)
	for loss, several := range variants {
		for _, v := range several {
			known := presetVariant(runs[0].Result.Config, loss)
			parts := slices.DeleteFunc(v.settings(), func(part string) bool {
				if known != nil {
					return slices.Contains(known.settings(), part)
				}
				return !strings.HasPrefix(part, trustedPart) &&
					!slices.ContainsFunc(several, func(other lossVariant) bool { return !slices.Contains(other.settings(), part) })
			})
			names[v] = loss
			if len(parts) > 0 {
				names[v] += " (" + strings.Join(parts, ", ") + ")"
			}
		}
	}
	return names
}

// presetVariant is a loss with the settings of a run's preset, nil where that is not known.
func presetVariant(c config.Config, loss string) *lossVariant {
	preset, ok := presetOf(c)
	if !ok {
		return nil
	}
	preset.Loss = loss
	v := variant(preset)
	return &v
}

// How two settings stand in the names of rows.
const (
	trustedPart = "trusted "
	matrixPart  = "T from "
	targetsPart = "targets "
	labelsPart  = "labels "
)

// settings are the variant's in words, those that it has.
func (v lossVariant) settings() []string {
	parts := []string{fmt.Sprintf("clip %g", v.clip)}
	for _, key := range losses.SettingKeys() {
		if value := *v.constants.At(key); value != 0 {
			parts = append(parts, fmt.Sprintf("%s %g", key, value))
		}
	}
	if v.transition != "" {
		parts = append(parts, matrixPart+fromHere(v.transition))
	}
	if v.corrected != "" {
		parts = append(parts, labelsPart+filepath.Base(v.corrected))
	}
	if v.targets != "" {
		parts = append(parts, targetsPart+fromHere(v.targets))
	}
	if e := v.estimator; e.Name != "" {
		text := e.Name
		for _, setting := range []struct {
			name  string
			value float64
		}{{"quantile", e.Quantile}, {"kappa", e.Kappa}, {"average", float64(e.Average)}} {
			if setting.value != 0 {
				text += fmt.Sprintf(" %s %g", setting.name, setting.value)
			}
		}
		parts = append(parts, text)
	}
	if v.trusted != "" {
		parts = append(parts, trustedPart+v.trusted)
	}
	return parts
}
