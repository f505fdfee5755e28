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
	"github.com/losscorr/losscorr/internal/expect"
)

// ownRuns returns the relevant settings of the runs, or the error.
func ownRuns(o config.Own, settings ...string) (out []string) {
	runs, err := o.Runs(settings...)
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range config.Configs(runs) {
		out = append(out, fmt.Sprint(c.Model, " ", c.Preset, " ", c.Loss, " ", c.Seed, " ", c.Epochs, " ", c.BatchSize, " ",
			filepath.Base(c.Transition), " ", c.Source.Side, " ", c.Folds))
	}
	return out
}

// Values override the preset, and the user's settings override Values.
func TestOwnValues(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"photos/metadata.csv": "", "T.csv": "", "net.pt2": ""})
	photos := data.Source{Path: filepath.Join(dir, "photos"), Side: 8}
	values := func(c config.Config) config.Own {
		c.Source = photos
		return config.Own{Values: c}
	}
	table := map[string]struct {
		o        config.Own
		settings []string
		want     []string
	}{
		"defaults": {values(config.Config{}), nil, []string{"cnn fixed cross-entropy 1 12 128 . 8 {0 0}"}},
		"values": {values(config.Config{Model: "resnet50", Epochs: 7, Folds: config.Folds{Count: 4, Out: 1}}), nil,
			[]string{"resnet50 fixed cross-entropy 1 7 32 . 8 {4 1}"}},
		"exported": {values(config.Config{Model: filepath.Join(dir, "net.pt2")}), nil,
			[]string{filepath.Join(dir, "net.pt2") + " fixed cross-entropy 1 12 128 . 8 {0 0}"}},
		"user": {values(config.Config{Model: "resnet8", Epochs: 7, BatchSize: 16}),
			[]string{"model=resnet50", "epochs=3", "source.side=9"},
			[]string{"resnet50 fixed cross-entropy 1 3 16 . 9 {0 0}"}},
		"preset": {values(config.Config{}), []string{"preset=code"},
			[]string{"cnn code cross-entropy 1 12 128 . 8 {0 0}"}},
		"losses": {config.Own{Values: config.Config{Source: photos}, Losses: []string{"cross-entropy", "mae"}},
			[]string{"seed=[1,2]"}, []string{"cnn fixed cross-entropy 1 12 128 . 8 {0 0}",
				"cnn fixed cross-entropy 2 12 128 . 8 {0 0}", "cnn fixed mae 1 12 128 . 8 {0 0}",
				"cnn fixed mae 2 12 128 . 8 {0 0}"}},
		"T": {config.Own{Values: config.Config{Source: photos}, Losses: []string{"cross-entropy", "forward"},
			Fill: func(r *config.Resolved) {
				if r.Config.Loss == "forward" {
					r.Config.Transition = filepath.Join(dir, "T.csv")
				}
			}}, nil, []string{"cnn fixed cross-entropy 1 12 128 . 8 {0 0}", "cnn fixed forward 1 12 128 T.csv 8 {0 0}"}},
		"model": {values(config.Config{Model: "mlp"}), nil,
			[]string{"command line: model: mlp takes pixels, but the data is images"}},
	}
	for name, tt := range table {
		if got := ownRuns(tt.o, tt.settings...); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// A setting that the data will provide may be missing before the data is read, but not afterwards.
func TestOwnBeforeTheData(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"photos/metadata.csv": "", "y.csv": "label\na\n"})
	gold := config.Own{Values: config.Config{Source: data.Source{Path: filepath.Join(dir, "photos")},
		Loss: "gold-estimated"}}
	alone := config.Own{Values: config.Config{Source: data.Source{Labels: filepath.Join(dir, "y.csv")}}}
	for key, o := range map[string]config.Own{"trusted": gold, "source.path": alone} {
		o.Later = []string{key}
		runs, err := o.Runs()
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := config.Checked(runs); err == nil || !strings.Contains(err.Error(), "command line: "+key+": ") {
			t.Errorf("%s is missing, but the error is %v", key, err)
		}
	}
}

// A user's settings are distinguished from values and presets, which may still be changed once the data is known.
func TestGiven(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"t.csv": "a,label\n"})
	o := config.Own{Values: config.Config{Epochs: 7, Source: data.Source{Path: filepath.Join(dir, "t.csv"),
		Features: []string{"a"}}}}
	r := expect.Got(o.Runs("seed=[3]", "optimizer={name: sgd}"))(t)[0]
	for key, want := range map[string]bool{"epochs": false, "batch_size": false, "trusted": false, "seed": true,
		"optimizer.name": true, "optimizer.learning_rate": false} {
		if got := r.Given(key); got != want {
			t.Errorf("%s given: %v", key, got)
		}
	}
}
