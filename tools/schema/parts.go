package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/optim"
)

const (
	guideFile = "docs/configuration.md"
	begin     = "<!-- Made by go generate. -->\n"
	end       = "<!-- End of what is made. -->\n"
)

// withParts inserts the lists of parts between the two comments of the guide.
func withParts(guide []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(guide, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("%s lacks the lines %q and %q", guideFile, begin, end)
	}
	return []byte(string(before) + begin + parts() + end + string(after)), nil
}

// parts returns a line for each entry of each table, except that all data sets share a line, as do ResNets that differ
// only in depth, and a loss and its form with an estimated T.
func parts() string {
	var b strings.Builder
	last := ""
	line := func(key, name, about string, reads ...string) {
		if key != last {
			fmt.Fprintf(&b, "\n`%s` is one of\n\n", key)
			last = key
		}
		if reads = slices.DeleteFunc(reads, func(setting string) bool { return setting == "" }); len(reads) > 0 {
			about += "; reads " + strings.Join(reads, ", ")
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", name, about)
	}
	goes := map[string][]string{} // data sets of each network
	var sets, groups, validation []string
	for _, e := range published.All {
		sets = append(sets, e.Name)
		if e.Groups {
			groups = append(groups, e.Name)
		}
		if e.Validation {
			validation = append(validation, e.Name)
		}
		for _, model := range config.ModelsOf(e.Name) {
			goes[model] = append(goes[model], e.Name)
		}
	}
	line("dataset", strings.Join(sets, "`, `"), "`own` is [your own data](own-data.md)", "noise.groups ("+
		strings.Join(groups, ", ")+")", "examples.validation ("+strings.Join(validation, ", ")+")")
	var resnets []string // ResNets that differ only in depth
	for _, e := range models.All {
		if strings.HasPrefix(e.Name, "resnet") && slices.Contains(goes[e.Name], "cifar10") {
			resnets = append(resnets, e.Name)
			continue
		}
		words := e.Input == models.Words
		line("model", e.Name, e.Title+", for "+strings.Join(goes[e.Name], ", "), when(words, "embedding_dim"),
			when(e.Dropout, "dropout"),
			when(words, "dropout_units"), when(e.AnyLength, "examples.words"))
	}
	line("model", strings.Join(resnets, "`, `"), "ResNets of these depths, for "+strings.Join(goes[resnets[0]], ", "))
	exact := lossLines(line)
	for _, e := range correction.Noises {
		line("noise.kind", e.Name, e.About, when(e.Level, "noise.level"), when(e.Flips, "noise.groups"),
			when(e.File, "noise.file"))
	}
	for _, e := range optim.All {
		line("optimizer.name", e.Name, e.About, when(e.Momentum, "optimizer.momentum"))
	}
	for _, e := range estimators.All {
		line("estimator.name", e.Name, e.About, when(e.Quantile, "estimator.quantile"), when(e.Trusted, "trusted"))
	}
	fmt.Fprintf(&b, "\nAll losses but `%s` read `clip`.\nA loss that has a form `-estimated` reads `transition`, and "+
		"that form `estimator` and `trusted`.\n", strings.Join(exact, "`, `"))
	return b.String()
}

// lossLines writes a line for each loss and returns the names of the losses without clipping. A form with an estimated
// T shares the line of the loss with a known T.
func lossLines(line func(key, name, about string, reads ...string)) (exact []string) {
	estimated := map[string]string{} // name of the estimated form by loss
	for _, e := range losses.All {
		if e.T == losses.EstimatedT {
			estimated[e.FormOf] = e.Name
		}
	}
	for _, e := range losses.All {
		if e.T == losses.EstimatedT {
			continue
		}
		if !e.Clips {
			exact = append(exact, e.Name)
		}
		name := e.Name
		if form := estimated[name]; form != "" {
			name += "`, `" + form
		}
		reads := []string{when(e.Targets, "targets"), when(e.Trusted, "trusted")}
		for _, s := range e.Settings {
			reads = append(reads, fmt.Sprintf("loss_settings.%s (%v)", s.Key, s.Default))
		}
		line("loss", name, e.About, reads...)
	}
	return exact
}

// when returns setting if it is read, else "".
func when(reads bool, setting string) string {
	if reads {
		return setting
	}
	return ""
}
