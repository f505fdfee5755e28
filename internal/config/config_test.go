package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

func loadErr(t *testing.T, text string, overrides ...string) *config.ConfigError {
	t.Helper()
	fsys := fstest.MapFS{"c.yaml": {Data: []byte(text)}}
	doc, err := config.ReadFS(fsys, "c.yaml", overrides...)
	if err == nil {
		_, err = doc.Expand()
	}
	var bad *config.ConfigError
	if !errors.As(err, &bad) {
		t.Fatalf("error is %v, want a *ConfigError", err)
	}
	return bad
}

// The expected values are method.md's table of presets.
func TestPresets(t *testing.T) {
	for _, tt := range []struct {
		preset  string
		dropout float64
		from    string
		rule    config.Optimizer
		clip    float64
		est     config.Estimator
	}{
		{"paper", .5, "first", config.Optimizer{Name: "adagrad", LearningRate: .01, Epsilon: 1e-6, Milestones: []int{}}, 0, config.Estimator{Name: "percentile", Quantile: .97}},
		{"code", .2, "last", config.Optimizer{Name: "adagrad", LearningRate: .01, Epsilon: 1e-8, Milestones: []int{}}, 1e-7, config.Estimator{Name: "percentile", Quantile: .97}},
		{"fixed", .2, "first", config.Optimizer{Name: "adam", LearningRate: .003, Epsilon: 1e-8, Milestones: []int{5, 15}}, 0, config.Estimator{Name: "vertices", Kappa: .3, Average: 30}},
	} {
		got := configtest.Load(t, "dataset: mnist\npreset: "+tt.preset+"\n")
		output := map[string]string{"paper": "uniform_0.05"}[tt.preset]
		want := config.Config{
			Dataset: "mnist", Model: "mlp", Preset: tt.preset, InitOutput: output, Loss: "cross-entropy",
			Noise: config.Noise{Kind: "none"}, Seed: 1, Preprocessing: "unit", Augment: "none", Epochs: 40, BatchSize: 128,
			Validation: config.Holdout{Share: .1, From: tt.from},
			Optimizer:  tt.rule,
			Dropout:    tt.dropout, Init: "he_normal", Precision: "float32", Clip: tt.clip, Estimator: tt.est,
		}
		if diff := cmp.Diff([]config.Config{want}, got); diff != "" {
			t.Errorf("preset %s (-want +got):\n%s", tt.preset, diff)
		}
	}
	if got := configtest.Load(t, "dataset: mnist\n")[0].Preset; got != "code" {
		t.Errorf("default preset is %s, want code", got)
	}
}

func TestLayers(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"base/all.yaml": "dataset: mnist\nepochs: 7\noptimizer: {name: sgd, learning_rate: .5, momentum: .9, milestones: [2, 4]}\n",
		"sub/run.yaml":  "extends: ../base/all.yaml\noptimizer:\n  momentum: .5\n  milestones: [3]\ndata: images\n",
	})
	file := filepath.Join(dir, "sub", "run.yaml")
	runs, err := config.Load(file, "optimizer.learning_rate=0.1", "seed=3", "noise={kind: symmetric, level: .2}")
	if err != nil {
		t.Fatal(err)
	}
	c := runs[0]
	want := config.Optimizer{Name: "sgd", LearningRate: .1, Epsilon: 1e-8, Momentum: .5, Milestones: []int{3}}
	if diff := cmp.Diff(want, c.Optimizer); diff != "" {
		t.Errorf("optimizer (-want +got):\n%s", diff)
	}
	if c.Epochs != 7 || c.Seed != 3 || c.Noise != (config.Noise{Kind: "symmetric", Level: .2}) {
		t.Errorf("epochs %d, seed %d, noise %v", c.Epochs, c.Seed, c.Noise)
	}
	if want := filepath.Join(dir, "sub", "images"); c.Data != want {
		t.Errorf("data is %s, want %s beside the file that names it", c.Data, want)
	}
}

func TestOrigins(t *testing.T) {
	dir := configtest.Write(t, map[string]string{
		"base.yaml": "dataset: mnist\nepochs: 7\n",
		"run.yaml":  "extends: base.yaml\nbatch_size: 64\n",
	})
	doc, err := config.Read(filepath.Join(dir, "run.yaml"), "seed=9")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := doc.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"epochs":     filepath.Join(dir, "base.yaml") + ":2:9",
		"batch_size": filepath.Join(dir, "run.yaml") + ":2:13",
		"seed":       "override seed=9",
		"dropout":    "presets.yaml:",
		"model":      "presets.yaml:",
	} {
		if got := runs[0].Origins[key].String(); got != want && !(strings.HasSuffix(want, "yaml:") && strings.HasPrefix(got, want)) {
			t.Errorf("origin of %s is %q, want %q", key, got, want)
		}
	}
	text, err := runs[0].YAML(true)
	if err != nil {
		t.Fatal(err)
	}
	if want := "seed: 9 # override seed=9\n"; !strings.Contains(string(text), want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// Every mistake of one file is reported at once, each at its place.
func TestProblems(t *testing.T) {
	got := loadErr(t, "dataset: mnist\n", "noise.levle=.3", "epochs")
	want := []string{
		`override noise.levle=.3: noise.levle: unknown key, did you mean "noise.level"?`,
		`override epochs: an override has the form key=value, such as noise.level=.6`,
	}
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("overrides (-want +got):\n%s", diff)
	}
	got = loadErr(t, `datset: mnist
dataset: mnits
epochs: 3.5
loss: foward
batch_size: many
optimizer: {name: adagard, learning_rate: -1, lr: .1}
noise:
  kind: symetric
  level: 1.2
estimator: {name: percentle}
seed: -1
dropout: .nan
validation: .1
`, "init=he_normla")
	want = []string{
		`c.yaml:1:1: datset: unknown key, did you mean "dataset"?`,
		`c.yaml:2:10: dataset: unknown data set "mnits", did you mean "mnist"?`,
		`c.yaml:3:9: epochs: 3.5 is not a whole number`,
		`c.yaml:4:7: loss: unknown loss "foward", did you mean "forward"?`,
		`c.yaml:5:13: batch_size: "many" is not a whole number`,
		`c.yaml:6:19: optimizer.name: unknown optimizer "adagard", did you mean "adagrad"?`,
		`c.yaml:6:43: optimizer.learning_rate: -1 is not above 0`,
		`c.yaml:6:47: optimizer.lr: unknown key, did you mean "optimizer.learning_rate"?`,
		`c.yaml:8:9: noise.kind: unknown noise "symetric", did you mean "symmetric"?`,
		`c.yaml:9:10: noise.level: 1.2 is not in [0, 1); noise levels are shares, such as .2`,
		`c.yaml:10:19: estimator.name: unknown estimator "percentle", did you mean "percentile"?`,
		`c.yaml:11:7: seed: -1 is not a whole number from 0 to 2^64-1`,
		`c.yaml:12:10: dropout: .nan is not a finite number`,
		`c.yaml:13:13: validation: has to be a map of settings (validation.share, validation.from, validation.penalty), not .1`,
		`override init=he_normla: init: unknown initialiser "he_normla", did you mean "he_normal"?`,
	}
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// class-quantile stands beside every estimator, so its settings are checked for
// all; 0 is their default.
func TestProblemsOfTheSecondEstimate(t *testing.T) {
	for _, name := range estimators.All.Names() {
		got := loadErr(t, "dataset: mnist\nestimator:\n  name: "+name+"\n  kappa: 7\n  average: -3\ntrusted: 2\n")
		want := []string{
			"c.yaml:4:10: estimator.kappa: 7 is not in (0, 1]; 0 is the default, .3, which equals the .97 percentile at ten classes",
			"c.yaml:5:12: estimator.average: -3 is negative; 0 is the default, a hundredth of a class",
		}
		if diff := cmp.Diff(want, lines(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, of := range []string{"kappa: 1, average: 1", "kappa: 0, average: 0"} {
			configtest.Load(t, "dataset: mnist\npreset: fixed\ntrusted: 2\nestimator: {name: "+name+", quantile: .97, "+of+"}\n")
		}
	}
}

// A grid that is wrong does not hide what else is, and what only follows from it
// is not said.
func TestProblemsOfGridAndSettings(t *testing.T) {
	got := loadErr(t, `epochs: 3.5
noise: {kind: symetric}
grid: {datset: [mnist], loss: [foward, forward], noise: 3, seed: []}
`, "batch_size=many", "dropuot=.1")
	want := []string{
		`c.yaml:1:9: epochs: 3.5 is not a whole number`,
		`c.yaml:3:8: grid.datset: unknown key, did you mean "dataset"?`,
		`c.yaml:3:32: loss: unknown loss "foward", did you mean "forward"?`,
		`c.yaml:3:57: grid.noise: has to be a list of at least one value, not 3`,
		`c.yaml:3:66: grid.seed: has to be a list of at least one value, not an empty list`,
		`override dropuot=.1: dropuot: unknown key, did you mean "dropout"?`,
		`override batch_size=many: batch_size: "many" is not a whole number`,
	}
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := loadErr(t, "extends: gone.yaml\nepochs: 3.5\n"); len(got.Problems) != 1 {
		t.Errorf("beside a base that is missing: %v", got)
	}
}

// Each problem is shown in its line.
func TestProblemsAreMarked(t *testing.T) {
	got := loadErr(t, "dataset: mnist\r\noptimizer:\t{epsilon: -2}\r\n", "batch_size=0").Error()
	want := `2 problems in the configuration
  override batch_size=0: batch_size: 0 is too small; at least 1
  c.yaml:2:22: optimizer.epsilon: -2 is negative
    optimizer: {epsilon: -2}
                         ^`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	long := loadErr(t, "dataset: mnist # "+strings.Repeat("é", 40)+"\noptimizer: {milestones: [1], name: "+strings.Repeat("a", 200)+", momentum: 2, lr: 1}\n").Error()
	for line := range strings.Lines(long) {
		if strings.HasPrefix(line, "    ") && len(line) > 110 {
			t.Errorf("a line of %d letters is shown", len(line))
		}
	}
	if !strings.Contains(long, "a, momentum: 2, lr: 1}\n"+strings.Repeat(" ", 4+60)+"^") {
		t.Errorf("no mark under the end of a long line:\n%s", long)
	}
}

func lines(e *config.ConfigError) []string {
	out := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		out[i] = p.String()
	}
	return out
}

func TestBadDocuments(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"empty":             {"", "c.yaml: the file has no settings"},
		"syntax":            {"epochs: [1\nseed: 2\n", "c.yaml:2:"},
		"list":              {"- a\n", "c.yaml:1:1: the document has to be a map of settings, not a list"},
		"twice":             {"dataset: mnist\nseed: 1\nseed: 2\n", "c.yaml:3:1: seed: set twice, first at line 2"},
		"cycle":             {"extends: c.yaml\n", "c.yaml:1:10: extends: c.yaml extends itself: c.yaml -> c.yaml"},
		"missing base":      {"extends: gone.yaml\n", "c.yaml:1:10: extends: cannot read gone.yaml: file does not exist"},
		"merge key":         {"dataset: mnist\n<<: {seed: 1}\n", "merge keys are not supported"},
		"bottomless":        {"dataset: &a [*a]\n", "nested more than 16 levels deep"},
		"no data set":       {"epochs: 3\n", "c.yaml: dataset: no data set is named; known: mnist"},
		"level unused":      {"dataset: mnist\nnoise: {level: .2}\n", "c.yaml:2:16: noise.level: 0.2 has no effect with noise.kind none"},
		"momentum unused":   {"dataset: mnist\noptimizer: {momentum: .9}\n", "optimizer.momentum: 0.9 has no effect with adagrad"},
		"no matrix":         {"dataset: mnist\nnoise: {kind: matrix}\n", "noise.file: noise.kind matrix needs the CSV file of T"},
		"transition unused": {"dataset: mnist\ntransition: T.csv\n", "transition: is used by forward, backward, reweight, co-teaching, gold and volume-minimization only"},
		"quoted number":     {"dataset: mnist\nepochs: \"40\"\n", `epochs: "40" is not a whole number`},
		"null":              {"dataset: mnist\nepochs:\n", "epochs: an empty value is not a whole number"},
		"tf32":              {"dataset: mnist\ntf32: conv\n", `tf32: unknown use of TF32 "conv"; known: cudnn, all, off`},
		"record":            {"dataset: mnist\nrecord: on\n", `record: unknown recording of steps "on", did you mean "off"?`},
		"device":            {"dataset: mnist\ndevice: gpu\n", `device: "gpu" is not a device; want cpu, cuda or cuda:N`},
		"grid key":          {"dataset: mnist\ngrid: {sede: [1]}\n", `c.yaml:2:8: grid.sede: unknown key, did you mean "seed"?`},
		"grid scalar":       {"dataset: mnist\ngrid: {seed: 1}\n", "grid.seed: has to be a list of at least one value, not 1"},
		"grid overlap":      {"dataset: mnist\ngrid: {noise: [{kind: none}], noise.level: [.1]}\n", "overlaps with grid.noise"},
		"grid value":        {"dataset: mnist\ngrid: {epochs: [1, 2.5]}\n", "c.yaml:2:20: epochs: 2.5 is not a whole number"},
		"excluded name":     {"dataset: mnist\ngrid: {seed: [1], exclude: [{loss: backwrd}]}\n", `loss: unknown loss "backwrd", did you mean "backward"?`},
		"excluded names":    {"dataset: mnist\ngrid: {seed: [1], exclude: [{noise: {kind: [none, symetric]}}]}\n", `noise.kind: unknown noise "symetric"`},
		"excluded type":     {"dataset: mnist\ngrid: {seed: [1], exclude: [{epochs: many}]}\n", `"many" is not a whole number`},
		"excluded struct":   {"dataset: mnist\ngrid: {seed: [1], exclude: [{noise: none}]}\n", "has to be a map of settings (noise.kind, noise.level, noise.file, noise.groups), not \"none\""},
		"excluded nothing":  {"dataset: mnist\ngrid: {seed: [1], exclude: [{}]}\n", "an entry names no setting"},
		"all excluded":      {"dataset: mnist\ngrid: {seed: [1], exclude: [{seed: 1}]}\n", "exclude leaves no run"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := loadErr(t, tt.text).Error(); !strings.Contains(got, tt.want) {
				t.Errorf("error %q lacks %q", got, tt.want)
			}
		})
	}
}

// Aliases of aliases must not grow without bound.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [1,1,1,1,1,1,1,1,1]\n")
	for i := 1; i < 9; i++ {
		prev := "*a" + string(rune('0'+i-1))
		b.WriteString("a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(prev+", ", 8) + prev + "]\n")
	}
	if got := loadErr(t, b.String()).Error(); !strings.Contains(got, "once aliases are written out") {
		t.Errorf("error is %q", got)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "gone.yaml"))
	var file *config.FileError
	if !errors.As(err, &file) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want a *FileError that is ErrNotExist", err)
	}
}
