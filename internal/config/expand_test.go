package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

const grid = `dataset: mnist
grid:
  noise: [{kind: none}, {kind: symmetric, level: .2}]
  loss: [cross-entropy, forward]
  seed: [1, 2]
  exclude: [{noise: {kind: none}, loss: forward}]
  include: [{loss: backward, noise.kind: asymmetric, noise.level: .6}]
`

func names(runs []config.Config) []string {
	out := make([]string, len(runs))
	for i, c := range runs {
		out[i] = strings.TrimPrefix(c.Name(), "mnist ")
	}
	return out
}

// Runs that have one name are told apart by the settings in which they differ, but for those that
// their loss does not read.
func TestNames(t *testing.T) {
	a := config.Config{Dataset: "mnist", Loss: "forward", Noise: config.Noise{Kind: "asymmetric", Level: .6}, Seed: 1, Epochs: 3, BatchSize: 32}
	b, other := a, a
	b.Epochs, b.Optimizer.LearningRate, b.Estimator.Name, b.Device = 4, .1, "vertices", "cuda"
	other.Loss, other.Epochs = "cross-entropy", 9
	part := config.Config{Dataset: "own", Model: "mlp", Noise: config.Noise{Kind: "none"}, Loss: "forward", Seed: 2, Folds: config.Folds{Count: 4, Out: 3}}
	want := []string{
		"mnist asymmetric .6 forward seed 1 epochs=3 optimizer.learning_rate=0", "mnist asymmetric .6 cross-entropy seed 1",
		"mnist asymmetric .6 forward seed 1 epochs=4 optimizer.learning_rate=0.1", "own mlp forward seed 2 without part 3 of 4",
	}
	if diff := cmp.Diff(want, config.Names([]config.Config{a, other, b, part})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestGrid(t *testing.T) {
	for name, tt := range map[string]struct {
		overrides []string
		want      []string
	}{
		"as written": {nil, []string{
			"no noise cross-entropy seed 1", "no noise cross-entropy seed 2",
			"symmetric .2 cross-entropy seed 1", "symmetric .2 cross-entropy seed 2",
			"symmetric .2 forward seed 1", "symmetric .2 forward seed 2",
			"asymmetric .6 backward seed 1", "asymmetric .6 backward seed 2",
		}},
		"a value ends an axis": {[]string{"seed=5", "loss=forward"}, []string{
			"symmetric .2 forward seed 5", "asymmetric .6 forward seed 5",
		}},
		"a list replaces an axis": {[]string{"loss=[forward]", "seed=[7,8]"}, []string{
			"symmetric .2 forward seed 7", "symmetric .2 forward seed 8",
			"asymmetric .6 forward seed 7", "asymmetric .6 forward seed 8",
		}},
		"a deeper key enters the values": {[]string{"noise.kind=symmetric", "noise.level=.4", "seed=1"}, []string{
			"symmetric .4 cross-entropy seed 1", "symmetric .4 forward seed 1", "symmetric .4 backward seed 1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, names(configtest.Load(t, grid, tt.overrides...))); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

// A file that extends another replaces its axes by its own and ends those over
// keys that it sets.
func TestGridExtends(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"all.yaml":  grid,
		"demo.yaml": "extends: all.yaml\nseed: 1\nepochs: 2\ngrid:\n  loss: [forward, backward]\n  noise: [{kind: asymmetric, level: .6}]\n  include: []\n",
	})
	runs, err := config.Load(filepath.Join(dir, "demo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"asymmetric .6 forward seed 1", "asymmetric .6 backward seed 1"}
	if diff := cmp.Diff(want, names(runs)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// An axis sets its key afresh: the level of the base does not leak into it.
func TestGridReplacesBase(t *testing.T) {
	runs := configtest.Load(t, "dataset: mnist\nnoise: {kind: symmetric, level: .5}\ngrid: {noise: [{kind: none}]}\n")
	if runs[0].Noise != (config.Noise{Kind: "none"}) {
		t.Errorf("noise is %+v, want none", runs[0].Noise)
	}
}

func TestGridTooLarge(t *testing.T) {
	list := strings.TrimSuffix(strings.Repeat("1,", 400), ",")
	text := fmt.Sprintf("dataset: mnist\ngrid: {seed: [%s], epochs: [%s], batch_size: [%s]}\n", list, list, list)
	if got := loadErr(t, text).Error(); !strings.Contains(got, "more than 100000 runs") {
		t.Errorf("error is %q", got)
	}
}

// The resolved configuration is complete: it comes back the same from its own
// YAML, zeros included, whatever the preset says.
func TestYAMLRoundTrip(t *testing.T) {
	runs := configtest.Load(t, grid, "optimizer={name: sgd, epsilon: 0, momentum: 0, milestones: []}", "preset=[code,fixed]", "clip=0", "seed=18446744073709551615")
	for _, c := range runs {
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again := configtest.Load(t, string(text))
		if diff := cmp.Diff([]config.Config{c}, again); diff != "" {
			t.Errorf("%s (-first +again):\n%s", c.Name(), diff)
		}
		if again[0].ID() != c.ID() {
			t.Errorf("%s: id %s became %s", c.Name(), c.ID(), again[0].ID())
		}
	}
}

// A document prints as YAML that means the same document.
func TestDocumentYAML(t *testing.T) {
	dir := configtest.Write(t, map[string]string{"all.yaml": grid, "run.yaml": "extends: all.yaml\nepochs: 3\n"})
	doc, err := config.Read(filepath.Join(dir, "run.yaml"), "batch_size=64")
	if err != nil {
		t.Fatal(err)
	}
	want, err := doc.Expand()
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []bool{false, true} {
		text, err := doc.YAML(origin)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, configtest.Load(t, string(text))); diff != "" {
			t.Errorf("origin %v (-want +got):\n%s\n%s", origin, diff, text)
		}
	}
}

func TestID(t *testing.T) {
	base := configtest.Load(t, "dataset: mnist\n")[0]
	if got := base.ID(); len(got) != 12 || strings.Trim(got, "0123456789abcdef") != "" {
		t.Errorf("id %q is not 12 hex digits", got)
	}
	for name, tt := range map[string]struct {
		override string
		same     bool
	}{
		"data":                       {"data=elsewhere", true},
		"device":                     {"device=cuda:1", true},
		"workers":                    {"workers=3", true},
		"tf32":                       {"tf32=off", true},
		"deterministic":              {"deterministic=true", true},
		"record":                     {"record=off", true},
		"estimator of cross-entropy": {"estimator={name: argmax}", true},
		"seed":                       {"seed=2", false},
		"loss":                       {"loss=forward", false},
		"epsilon":                    {"optimizer.epsilon=1e-9", false},
		"preset":                     {"preset=paper", false},
	} {
		other := configtest.Load(t, "dataset: mnist\n", tt.override)[0]
		if same := other.ID() == base.ID(); same != tt.same {
			t.Errorf("%s: same id %v, want %v", name, same, tt.same)
		}
	}
}

// A matrix enters the identity by content, wherever the file lies.
func TestIDOfFiles(t *testing.T) {
	id := func(matrix string) string {
		dir := configtest.Write(t, map[string]string{"T.csv": matrix, "c.yaml": "dataset: mnist\nnoise: {kind: matrix, file: T.csv}\n"})
		runs, err := config.Load(filepath.Join(dir, "c.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return runs[0].ID()
	}
	if first, second := id("a"), id("a"); first != second {
		t.Error("the same matrix in two folders gives two ids")
	}
	if id("a") == id("b") {
		t.Error("two matrices give one id")
	}
}

// A list in an entry of exclude stands for any of its values, and for itself where the setting is a list.
func TestExcludeAnyOf(t *testing.T) {
	const text = "dataset: mnist\ngrid: {loss: [cross-entropy, forward], seed: [1, 2, 3], exclude: [{loss: forward, seed: [2, 3]}, {optimizer.milestones: [1]}, {seed: 1, hidden: []}]}\n"
	want := []string{"no noise cross-entropy seed 1", "no noise cross-entropy seed 2", "no noise cross-entropy seed 3", "no noise forward seed 1"}
	if diff := cmp.Diff(want, names(configtest.Load(t, text))); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// What the preset sets can be excluded as what the file sets.
func TestExcludeBySettingsOfPresets(t *testing.T) {
	const text = "dataset: mnist\ngrid: {loss: [cross-entropy, forward], exclude: [{loss: forward, epochs: 40, model: mlp}]}\n"
	for overrides, want := range map[string][]string{
		"epochs=40": {"no noise cross-entropy seed 1"}, "seed=1": {"no noise cross-entropy seed 1"},
		"epochs=3": {"no noise cross-entropy seed 1", "no noise forward seed 1"},
	} {
		if diff := cmp.Diff(want, names(configtest.Load(t, text, overrides, "optimizer.momentum=0"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", overrides, diff)
		}
	}
}

// A number with a leading zero is decimal.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]uint64{"010": 10, "0x10": 16, "0o10": 8, "1_000": 1000, "0": 0, "+7": 7} {
		if got := configtest.Load(t, "dataset: mnist\n", "seed="+text)[0].Seed; got != want {
			t.Errorf("seed=%s is %d, want %d", text, got, want)
		}
	}
}

func TestStream(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(50) {
		for _, name := range []string{"init", "noise", "shuffle", "dropout"} {
			s := config.Stream(seed, name)
			if other, twice := seen[s]; twice {
				t.Fatalf("seed %d stream %s equals %s", seed, name, other)
			}
			seen[s] = fmt.Sprint(seed, name)
		}
	}
	// printf 'noise\0\1\0\0\0\0\0\0\0' | sha256sum: the first eight bytes, little-endian
	if got, want := config.Stream(1, "noise"), uint64(0xcf005236bae6ae44); got != want {
		t.Errorf("Stream(1, noise) = %#x, want %#x", got, want)
	}
}

// An override sets its key, with blanks around it, too, and no longer key.
func TestSets(t *testing.T) {
	overrides := []string{"seed=1", "loss = forward", "loss_settings.q=.5"}
	for key, want := range map[string]bool{"seed": true, "loss": true, "loss_settings": false, "loss_settings.q": true, "epochs": false} {
		if got := config.Sets(overrides, key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if c := configtest.Load(t, "dataset: mnist", overrides[:2]...)[0]; c.Loss != "forward" {
		t.Errorf("loss %s", c.Loss)
	}
}
