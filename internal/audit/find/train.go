package find

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

// Training is a training on a user's own data. The zero value of a field is its default.
type Training struct {
	Source   own.Source // the data, by absolute paths; without Path it is the audit's, with the test set of Source
	Audit    string     // folder of an audit, whose corrected labels or T are used
	Model    string     // a network, in place of a view
	View     string     // of the data; by default the best one of the audit, if there is one
	Settings []string   // key=value, of the runs
	Dir      string     // of the runs; by default runs/ and the name of the data
	MaxBad   int        // images that may be left out

	folder     *audit.Folder     // of Audit; nil without one
	audited    audit.Summary     // its summary
	transition string            // its file of T-hat
	targets    map[string]string // its files by loss, where it is of several people's answers
}

// Plan reads the data and returns the runs: cross-entropy, and the loss corrected by the T that is estimated from it.
// With an audit of this data cross-entropy is also trained on the labels that the audit and people have corrected. It
// writes these and known labels into t.Dir. It returns the same errors as Find.
func (t *Training) Plan(ctx context.Context, h Host) (store.Plan, error) {
	if err := t.openAudit(); err != nil {
		return store.Plan{}, err
	}
	t.Dir = cmp.Or(t.Dir, filepath.Join("runs", NameOf(t.Source)))
	if err := apartFrom(t.Source, t.Dir, "the folder of the runs"); err != nil {
		return store.Plan{}, err
	}
	if err := t.chooseView(h); err != nil {
		return store.Plan{}, err
	}
	settings, err := t.settings()
	if err != nil {
		return store.Plan{}, err
	}
	planned, err := settings.Runs(t.Settings...)
	if err != nil {
		return store.Plan{}, err
	}
	data, err := OpenData(ctx, t.Source, dataset.Options{Offline: true, MaxBad: t.MaxBad, Progress: h.Reading})
	if err != nil {
		return store.Plan{}, err
	}
	if err := Enough(planned[0].Config, data); err != nil {
		return store.Plan{}, err
	}
	known, _ := audit.Known(data, nil) // by the column of trusted labels
	trusted := ""
	if len(known) > 0 {
		if trusted, err = audit.WriteKnown(t.Dir, "trusted", data, known); err != nil {
			return store.Plan{}, err
		}
	}
	for i := range planned {
		complete(&planned[i], data.Train.Len(), trusted)
	}
	if planned, err = config.Checked(planned); err != nil {
		return store.Plan{}, err
	}
	configs, err := t.configs(h, planned, data)
	if err != nil {
		return store.Plan{}, err
	}
	held := configs[0]
	held.Source = t.Source // which a setting may have changed
	h.Hold(held, data)
	return store.NewPlan(configs), nil
}

// openAudit reads what an audit has found, and takes its data where no other is named.
func (t *Training) openAudit() (err error) {
	if t.Audit == "" {
		return nil
	}
	if t.folder, err = audit.Open(t.Audit); err != nil {
		return err
	}
	if t.audited, err = t.folder.Summary(); err != nil {
		return err
	}
	if _, err := t.folder.Transition(); err != nil {
		return err
	}
	if t.audited.Crowd != nil {
		t.targets, err = t.folder.Targets()
	} else {
		t.transition, err = filepath.Abs(t.folder.Path(audit.TransitionFile))
	}
	switch data := t.audited.Source; {
	case err != nil:
		return err
	case t.Source.Path == "" && data.Path == "":
		return usage("DATA is missing: the audit in %s had labels only, without the examples", t.Audit)
	case t.Source.Path == "":
		data.Test, data.TestLabels = cmp.Or(t.Source.Test, data.Test), cmp.Or(t.Source.TestLabels, data.TestLabels)
		t.Source = data
	case t.audited.Crowd != nil:
		t.Source.Labels = cmp.Or(t.Source.Labels, data.Labels) // the majority of the answers
	}
	return nil
}

// chooseView sets the view by which the training looks at the data, where no network is named: the given one, or the
// best one of the audit. Of a view without features it takes the network. An audit's network of the data itself is no
// better than the default one.
func (t *Training) chooseView(h Host) error {
	name, best := t.View, ""
	if name == AutoView {
		name = ""
	}
	if len(t.audited.Views) > 0 {
		best = t.audited.Views[0].Name
	}
	network := t.Model != "" || t.Source.Backbone != "" || config.Sets(t.Settings, "model")
	if name != "" && network {
		return usage("--view %s beside --model or --backbone, which leave no choice: give one of them", name)
	}
	view := views.All.Named(cmp.Or(name, best))
	if network || name == "" && (view.Name == "" || view.Plain) {
		return nil
	}
	kind, err := t.Source.Stored()
	switch {
	case err != nil:
		return dataset.Errorf("%w", err)
	case view.Data != kind && name == "": // of other data than the audit's
		return nil
	case view.Data != kind || view.Name == "":
		return noView(kind, name, views.Of(kind))
	case view.Plain:
		t.Model = view.Model
		return nil
	case view.Encoder != "":
		err = h.Encoder(encoders.All.Named(view.Encoder))
	}
	t.Source.View = view.Name
	return err
}

// settings are the values of the runs, but for what depends on the data.
func (t *Training) settings() (config.Own, error) {
	kind, err := t.Source.Kind()
	if err != nil {
		return config.Own{}, dataset.Errorf("%w", err)
	}
	chosen := []string{losses.FirstLoss, "forward-estimated"}
	switch {
	case t.targets != nil:
		chosen = append(chosen[:1], slices.Sorted(maps.Keys(t.targets))...)
	case t.transition != "":
		chosen[1] = "forward"
	}
	settings := config.Own{Losses: chosen, Fill: t.fill, Values: config.Config{
		Source: t.Source, Model: t.Model,
		Epochs: Epochs(kind, 0), // of the least data
	}}
	if t.Source.Trusted != "" {
		settings.Later = []string{"trusted"}
	}
	return settings, nil
}

// fill sets what the loss of a run takes from the audit, unless the user has given it.
func (t *Training) fill(r *config.Resolved) {
	c := &r.Config
	loss := c.LossEntry()
	if loss.T == losses.KnownT {
		c.Transition = cmp.Or(c.Transition, t.transition)
	}
	if loss.Targets {
		c.Targets = cmp.Or(c.Targets, t.targets[c.Loss])
	}
}

// complete sets what depends on the number n of training examples and the file of known labels, unless the user has
// given it.
func complete(r *config.Resolved, n int, trusted string) {
	Size(r, n, 0)
	if !r.Given("trusted") {
		r.Config.Trusted = trusted
	}
	if c := &r.Config; !r.Given("warmup_epochs") && c.Epochs > 1 && c.LossEntry().Networks < 2 {
		c.WarmupEpochs = 1 // keeps most networks out of forward's trap, as in an audit
	}
}

// configs returns the runs. With an audit, losses that use no T are trained on the labels that it has corrected; where
// the user names no loss, that is cross-entropy, beside the given labels.
func (t *Training) configs(h Host, planned []config.Resolved, data *dataset.Dataset) ([]config.Config, error) {
	given := config.Configs(planned)
	relabels := func(c config.Config) bool { return c.LossEntry().Relabels() }
	if t.folder == nil || t.targets != nil || !slices.ContainsFunc(given, relabels) {
		return given, nil
	}
	found, err := relabel.Correct(t.folder, t.Source, data)
	if err != nil {
		return nil, err
	}
	n, corrected := data.Train.Len(), ""
	if !found.Of(n) {
		h.Note(fmt.Sprintf("the audit in %s has judged %d of these %d examples with the labels that they have: it corrects "+
			"no label here", t.folder.Dir(), found.Judged, n))
		return given, nil
	}
	h.Note(fmt.Sprintf("corrected labels: %d of %d changed by the audit and people", len(found.Labels), n))
	if len(found.Labels) > 0 {
		if corrected, err = audit.WriteKnown(t.Dir, "corrected", data, found.Labels); err != nil {
			return nil, err
		}
	}
	named := planned[0].Given("loss")
	if !named {
		given = slices.DeleteFunc(given, func(c config.Config) bool { return c.Loss != losses.FirstLoss })
	}
	if corrected == "" {
		return given, nil
	}
	configs := slices.Clone(given)
	for i, c := range configs {
		if relabels(c) {
			configs[i].Corrected = cmp.Or(c.Corrected, corrected)
			configs[i].Transition = cmp.Or(c.Transition, t.transition)
		}
	}
	if named {
		return configs, nil
	}
	return slices.Concat(given, configs), nil
}
