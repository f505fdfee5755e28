package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/expect"
)

// A file enters the identity of a run by its content, not its path.
func TestFilesInIDs(t *testing.T) {
	const text = "index,label\n3,7\n"
	dir := configtest.Write(t, map[string]string{"one": text, "a/same": text, "two": "index,label\n3,8\n"})
	for key, settings := range map[string]string{
		"transition": "loss: forward", "noise.file": "noise: {kind: matrix}", "weights": "loss: mae",
		"targets": "loss: soft", "corrected": "loss: cross-entropy", "trusted": "loss: forward-estimated",
	} {
		run := func(file string) config.Config {
			path := filepath.Join(dir, file)
			return configtest.Load(t, "dataset: mnist\n"+settings+"\n", key+"="+path)[0]
		}
		if one := run("one").ID(); one != run("a/same").ID() || one == run("two").ID() {
			t.Errorf("%s: the identity does not follow the content of the file", key)
		}
		contents := map[string]string{}
		if key != "weights" {
			// printf 'index,label\n3,7\n' | sha256sum
			contents[key] = "9b1526f34cd68b8d04a577f3dcafbd2ced96caf72976bce3e8edd18fb9292020"
		}
		expect.Same(t, contents, run("one").Contents(), key)
	}
}

// With corrected labels, T only estimates the accuracy, and the run's name mentions the labels.
func TestCorrected(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"c.csv": "index,label\n1,2\n", "T.csv": ""})
	matrix := filepath.Join(dir, "T.csv")
	c := configtest.Load(t, "dataset: mnist\n", "corrected="+filepath.Join(dir, "c.csv"), "transition="+matrix)[0]
	if got := c.Essential().Transition; got != matrix || !strings.Contains(c.Name(), "on corrected labels") {
		t.Errorf("%q has T %q", c.Name(), got)
	}
}

// trusted is a number, or a file beside the configuration, and survives the round trip through YAML. It changes the
// runs of -estimated losses but not their shared cross-entropy run.
func TestTrusted(t *testing.T) {
	const text = "dataset: mnist\nloss: forward-estimated\n"
	dir := configtest.Write(t, map[string]string{"c.yaml": text, "known.csv": "index,label\n3,7\n"})
	alone := configtest.Load(t, text)[0]
	for _, tt := range [][2]string{
		{"2", "2"}, {"random:20", "random:20"}, {"[1,2]", "1"}, {"known.csv", filepath.Join(dir, "known.csv")},
	} {
		t.Chdir(dir)
		c := expect.Got(config.Load("c.yaml", "trusted="+tt[0]))(t)[0]
		again := configtest.Load(t, string(expect.Got(c.YAML())(t)))[0]
		if c.Trusted != tt[1] || again.Trusted != tt[1] || again.ID() != c.ID() || c.ID() == alone.ID() {
			t.Errorf("trusted %s is %q, in its YAML %q; IDs %s, %s", tt[0], c.Trusted, again.Trusted, c.ID(), again.ID())
		}
		first, _ := c.Prerequisite()
		if of, _ := alone.Prerequisite(); first.ID() != of.ID() {
			t.Errorf("trusted %s: the cross-entropy runs differ", tt[0])
		}
	}
}

// An exported network gets the settings of the data set's first one, except those that the file contains.
func TestExportedSettings(t *testing.T) {
	for _, dataset := range config.Datasets {
		for _, preset := range config.Presets {
			text := "dataset: " + dataset + "\npreset: " + preset + "\nmodel: net.pt2\n"
			if dataset == "own" {
				text += "source: {path: own.csv, text: review}\n"
			}
			dir := configtest.Write(t, map[string]string{"net.pt2": "", "own.csv": "", "c.yaml": text})
			c := own(t, dir)
			got := []any{c.Model, c.Network(), c.Dropout, c.EmbeddingDim, c.DropoutUnits}
			expect.Same(t, []any{filepath.Join(dir, "net.pt2"), "net.pt2", 0., 0, ""}, got, text)
			if !strings.Contains(c.Name(), " net.pt2 ") {
				t.Errorf("name %s", c.Name())
			}
		}
	}
}

// Noise has a short form: KIND:LEVEL or KIND:FILE.
func TestParseNoise(t *testing.T) {
	for text, want := range map[string]config.Noise{
		"none":          {Kind: "none"},
		"asymmetric:.6": {Kind: "asymmetric", Level: .6},
		"matrix:T.csv":  {Kind: "matrix", File: "T.csv"},
	} {
		expect.Same(t, want, expect.Got(config.ParseNoise(text))(t), text)
	}
	for text, want := range map[string]string{
		"symetric:.2":   `did you mean "symmetric"?`,
		"symmetric:20":  `"20" is not a number in [0, 1)`,
		"symmetric:nan": `"nan" is not a number in [0, 1)`,
	} {
		_, err := config.ParseNoise(text)
		expect.Fails(t, err, want, text)
	}
}
