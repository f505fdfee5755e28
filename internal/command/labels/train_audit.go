package labels

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/relabel"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
)

// relabels reports whether the audit has labels to train on for one of the runs.
func (found auditFound) relabels(configs []config.Config) bool {
	return found.folder != nil && found.targets == nil && slices.ContainsFunc(configs, func(c config.Config) bool {
		return c.LossEntry().Relabels()
	})
}

// correct writes the labels that the audit and people have corrected into the folder of the runs, and
// returns the path of the file, "" if there are none. It reports whether the audit is one of this data.
func (p Commands) correct(c *cli.Context, found auditFound, source own.Source, data *dataset.Dataset,
	out string) (path string, of bool, err error) {
	answers, err := audit.ReadAnswerFiles(c.StringSlice("answers-from"), source, data)
	if err != nil {
		return "", false, err
	}
	corrected, err := relabel.Correct(found.folder, source, data, answers)
	if err != nil {
		return "", false, err
	}
	n := data.Train.Len()
	text := ""
	switch of = corrected.Of(n); {
	case !of:
		text = fmt.Sprintf("the audit in %s has judged %d of these %d examples with the labels that they have: it corrects "+
			"no label here", found.folder.Dir(), corrected.Judged, n)
	case len(corrected.Labels) > 0:
		text = fmt.Sprintf("corrected labels: %s of %d changed by the audit and people", humanize.Count(len(corrected.Labels),
			"label"), n)
		path, err = audit.WriteKnown(out, "corrected", data, corrected.Labels)
	default:
		text = "training on the given labels: the audit suggests no corrections"
	}
	p.Note(c)(text)
	return path, of, err
}

// byAudit returns the runs of a training with an audit: on the labels that it has corrected, for losses
// that use no T. Where the user names no loss, that is cross-entropy, beside the given labels.
func (p Commands) byAudit(c *cli.Context, found auditFound, source own.Source, data *dataset.Dataset, out string,
	planned []config.Resolved) ([]config.Config, error) {
	given := config.Configs(planned)
	if !found.relabels(given) {
		return given, nil
	}
	corrected, of, err := p.correct(c, found, source, data, out)
	if err != nil {
		return nil, err
	}
	named := planned[0].Given("loss")
	if of && !named {
		given = slices.DeleteFunc(given, func(c config.Config) bool { return c.Loss != losses.FirstLoss })
	}
	if corrected == "" {
		return given, nil
	}
	configs := slices.Clone(given)
	for i, c := range configs {
		if c.LossEntry().Relabels() {
			configs[i].Corrected = cmp.Or(c.Corrected, corrected)
			configs[i].Transition = cmp.Or(c.Transition, found.transition)
		}
	}
	if !named {
		configs = slices.Concat(given, configs)
	}
	return configs, nil
}
