package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/dataset/published"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch/optim"
)

const (
	guideFile = "docs/configuration.md"
	begin     = "<!-- Made by go generate ./experiments. -->\n"
	end       = "<!-- End of what is made. -->\n"
)

// withParts returns the guide with the table of parts between its two comments.
func withParts(guide []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(guide, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("%s lacks the lines %q and %q", guideFile, begin, end)
	}
	return []byte(string(before) + begin + parts() + end + string(after)), nil
}

// parts is a line for each entry of each table.
func parts() string {
	var b strings.Builder
	b.WriteString("| part | description | its settings |\n|---|---|---|\n")
	line := func(key, name, about string, reads ...string) {
		reads = slices.DeleteFunc(reads, func(setting string) bool { return setting == "" })
		fmt.Fprintf(&b, "| `%s: %s` | %s | %s |\n", key, name, about, strings.Join(reads, ", "))
	}
	goes := map[string][]string{} // data sets of each network
	for _, e := range published.All {
		line("dataset", e.Name, e.Title, when(e.Groups, "noise.groups"), when(e.Validation, "examples.validation"))
		for _, model := range config.ModelsOf(e.Name) {
			goes[model] = append(goes[model], e.Name)
		}
	}
	var resnets []string // those that differ in their depth alone
	for _, e := range models.All {
		if e.ConvBias {
			resnets = append(resnets, e.Name)
			continue
		}
		words := e.Input == models.Words
		line("model", e.Name, e.Title+", for "+strings.Join(goes[e.Name], ", "), when(words, "embedding_dim"), when(e.Dropout, "dropout"),
			when(words, "dropout_units"), when(e.AnyLength, "examples.words"))
	}
	line("model", strings.Join(resnets, "`, `"), "ResNets of these depths, for "+strings.Join(goes[resnets[0]], ", "), "conv_bias")
	for _, e := range losses.All {
		reads := []string{when(e.Clips, "clip"), when(e.T == losses.KnownT, "transition"), when(e.Targets, "targets"), when(e.T == losses.EstimatedT, "estimator"), when(e.T == losses.EstimatedT || e.Trusted, "trusted")}
		for _, s := range e.Settings {
			reads = append(reads, fmt.Sprintf("loss_settings.%s (%v)", s.Key, s.Default))
		}
		line("loss", e.Name, e.About, reads...)
	}
	for _, e := range correction.Noises {
		line("noise.kind", e.Name, e.About, when(e.Level, "noise.level"), when(e.Flips, "noise.groups"), when(e.File, "noise.file"))
	}
	for _, e := range optim.All {
		line("optimizer.name", e.Name, e.About, when(e.Momentum, "optimizer.momentum"))
	}
	for _, e := range estimators.All {
		line("estimator.name", e.Name, e.About, when(e.Quantile, "estimator.quantile"), when(e.Trusted, "trusted"))
	}
	return b.String()
}

// when is setting where it is read, else "".
func when(reads bool, setting string) string {
	if reads {
		return setting
	}
	return ""
}
