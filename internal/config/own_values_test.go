package config_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	data "github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/torch/nn"
)

// ownRuns returns what matters of the runs of values and settings, or the error.
func ownRuns(o config.Own, settings ...string) (out []string) {
	doc, err := config.ReadOwn(o, settings...)
	if err != nil {
		return []string{err.Error()}
	}
	runs, err := doc.Expand()
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range runs {
		out = append(out, fmt.Sprint(c.Model, " ", c.Preset, " ", c.Loss, " ", c.Seed, " ", c.Epochs, " ", c.BatchSize, " ",
			c.WarmupEpochs, " ", filepath.Base(c.Transition), " ", c.Source.Side, " ", c.Folds))
	}
	return out
}

// Values lie over the preset and under the settings that a user writes.
func TestOwnValues(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"photos/metadata.csv": "", "T.csv": "", "net.pt2": ""})
	photos := data.Source{Path: filepath.Join(dir, "photos"), Side: 8}
	table := map[string]struct {
		o        config.Own
		settings []string
		want     []string
	}{
		"defaults": {config.Own{Source: photos}, nil, []string{"cnn fixed cross-entropy 1 12 128 0 . 8 {0 0}"}},
		"values": {config.Own{Source: photos, Model: "resnet50", Epochs: 7, Folds: config.Folds{Count: 4, Out: 1}}, nil,
			[]string{"resnet50 fixed cross-entropy 1 7 32 0 . 8 {4 1}"}},
		"exported": {config.Own{Source: photos, Model: filepath.Join(dir, "net.pt2")}, nil,
			[]string{filepath.Join(dir, "net.pt2") + " fixed cross-entropy 1 12 128 0 . 8 {0 0}"}},
		"user": {config.Own{Source: photos, Model: "resnet8", Epochs: 7, BatchSize: 16},
			[]string{"model=resnet50", "epochs=3", "source.side=9"},
			[]string{"resnet50 fixed cross-entropy 1 3 16 0 . 9 {0 0}"}},
		"preset": {config.Own{Source: photos}, []string{"preset=code"},
			[]string{"cnn code cross-entropy 1 12 128 0 . 8 {0 0}"}},
		"losses": {config.Own{Source: photos, Losses: []string{"cross-entropy", "mae"}}, []string{"seed=[1,2]"},
			[]string{"cnn fixed cross-entropy 1 12 128 0 . 8 {0 0}", "cnn fixed cross-entropy 2 12 128 0 . 8 {0 0}",
				"cnn fixed mae 1 12 128 0 . 8 {0 0}", "cnn fixed mae 2 12 128 0 . 8 {0 0}"}},
		"user loss": {config.Own{Source: photos, Losses: []string{"cross-entropy", "mae"}}, []string{"loss=[sce]"},
			[]string{"cnn fixed sce 1 12 128 0 . 8 {0 0}"}},
		"warm-up": {config.Own{Source: photos, WarmupEpochs: 1}, []string{"epochs=[1,2]"},
			[]string{"cnn fixed cross-entropy 1 1 128 0 . 8 {0 0}", "cnn fixed cross-entropy 1 2 128 1 . 8 {0 0}"}},
		"cold": {config.Own{Source: photos, WarmupEpochs: 1}, []string{"warmup_epochs=0"},
			[]string{"cnn fixed cross-entropy 1 12 128 0 . 8 {0 0}"}},
		"pair": {config.Own{Source: photos, WarmupEpochs: 1}, []string{"loss=co-teaching-estimated"},
			[]string{"cnn fixed co-teaching-estimated 1 12 128 0 . 8 {0 0}"}},
		"T": {config.Own{Source: photos, Losses: []string{"cross-entropy", "forward"}, Transition: filepath.Join(dir,
			"T.csv")}, nil, []string{"cnn fixed cross-entropy 1 12 128 0 . 8 {0 0}",
			"cnn fixed forward 1 12 128 0 T.csv 8 {0 0}"}},
		"model": {config.Own{Source: photos, Model: "mlp"}, nil,
			[]string{"command line: model: mlp takes pixels, and the data is images"}},
		"no model": {config.Own{Source: photos, Model: "foo", Epochs: 40}, []string{"init=foo"},
			[]string{"2 problems in the configuration\n  command line: model: unknown model \"foo\"; known: " +
				strings.Join(config.Models, ", ") +
				"; or FILE.pt2, a network exported from Python\n  override init=foo: init: unknown initialiser \"foo\"; known: " +
				strings.Join(nn.InitNames(), ", ")}},
		"folds": {config.Own{Source: photos, Folds: config.Folds{Count: 1, Out: 1}}, nil,
			[]string{"command line: folds.count: 1 is too few; at least 2, or 0 for none"}},
	}
	for name, tt := range table {
		if got := ownRuns(tt.o, tt.settings...); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// What the data will bring is no problem before it is read, and one where it does not.
func TestOwnBeforeTheData(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"photos/metadata.csv": "", "y.csv": "label\na\n"})
	photos := config.Own{Source: data.Source{Path: filepath.Join(dir, "photos")}, Losses: []string{"gold-estimated"}}
	alone := config.Own{Source: data.Source{Labels: filepath.Join(dir, "y.csv")}}
	for _, tt := range []struct {
		o, without config.Own
		key        string
	}{
		{config.Own{Source: photos.Source, Losses: photos.Losses, Labelled: true}, photos, "trusted"},
		{config.Own{Source: alone.Source, LabelsOnly: true}, alone, "source.path"},
	} {
		doc, err := config.ReadOwn(tt.o)
		if err == nil {
			_, err = doc.Expand()
		}
		if err != nil {
			t.Errorf("%s: %v", tt.key, err)
		}
		if _, err := doc.With(tt.without).Expand(); err == nil || !strings.Contains(err.Error(), tt.key+": ") {
			t.Errorf("%s is missing, and the error is %v", tt.key, err)
		}
	}
}
