package config

import "github.com/losscorr/losscorr/internal/dataset"

// Own describes runs on a user's own data by values that the program sets.
type Own struct {
	// Values override the preset fixed and its defaults for the kind of data; the user's settings override Values. Zero
	// values are ignored.
	Values Config
	Losses []string        // one run for each; empty: the loss in the settings
	Fill   func(*Resolved) // sets what depends on the loss, before the runs are checked; may be nil
	Later  []string        // settings that may be empty until the data has been read
}

// ownPreset is the preset of own data.
const ownPreset = "fixed"

// Runs returns the runs with the user's settings.
func (o Own) Runs(overrides ...string) ([]Resolved, error) {
	doc := Document{Name: "command line", own: o}
	at := Position{Source: doc.Name}
	base := o.Values
	base.Dataset, base.Preset = dataset.OwnName, ownPreset
	if Exported(base.Model) {
		base.Model = absolute("", base.Model)
	}
	lower := layer{body: valuesOf(base, at)}
	if o.Losses != nil {
		losses := axis{key: "loss", at: at}
		for _, loss := range o.Losses {
			losses.values = append(losses.values, values{"loss": {loss, at}})
		}
		lower.axes = []axis{losses}
	}
	if err := doc.override([]layer{lower}, overrides, &problems{}, false); err != nil {
		return nil, err
	}
	return doc.Resolve()
}
