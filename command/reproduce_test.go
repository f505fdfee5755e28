package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/report"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/training/metrics"
)

// The commands that a report prints name its runs and no others, wherever the settings
// came from: the IDs of both are computed.
func TestReproduceNamesTheseRuns(t *testing.T) {
	// Settings of a file; of the command line; a loss with settings of its own; a block's
	// quick version; seeds and losses that are no product; a network that is no block.
	for name, test := range map[string]struct {
		yaml     string
		more     [][]string // further runs of the file with these overrides
		commands int
	}{
		"settings of a file": {yaml: `
dataset: mnist
batch_size: 64
epochs: 3
examples: {train: 6000}
optimizer: {learning_rate: .02, milestones: [1, 2]}
hidden: [64, 32]
grid: {loss: [cross-entropy, forward], noise: [{kind: none}, {kind: asymmetric, level: .35}], seed: [1, 2, 5]}`, commands: 1},
		"a loss of its own": {yaml: `
dataset: mnist
preset: paper
noise: {kind: symmetric, level: .2}
grid: {loss: [cross-entropy, forward-estimated], seed: [3]}`, more: [][]string{
			{"loss=[forward-estimated]", "estimator.name=argmax", "estimator.quantile=0"}, {"loss=forward", "clip=.001", "seed=[4, 5]"},
		}, commands: 3},
		"other words":  {yaml: "dataset: imdb\nmodel: embedding\nnoise: {kind: asymmetric, level: .4}\ndropout: .5\nloss: cross-entropy", commands: 1},
		"the block":    {yaml: "dataset: imdb\nmodel: embedding\ndropout_units: words\ngrid: {loss: [cross-entropy, savage], seed: [1, 2]}", commands: 1},
		"quick":        {yaml: "dataset: cifar10\nquick: true\nnoise: {kind: asymmetric, level: .6}\nexamples: {train: 12000, test: 2000}\naugment: none\nbatch_size: 32\nsteps_per_epoch: 0\nepochs: 8\noptimizer: {learning_rate: .03, milestones: [6]}\nprecision: bfloat16\nloss: forward", commands: 1},
		"groups":       {yaml: "dataset: cifar100\nnoise: {kind: asymmetric, level: .2, groups: super-classes}\nloss: forward", commands: 1},
		"not a block":  {yaml: "dataset: cifar10\nmodel: resnet20\nepochs: 2\ngrid: {loss: [cross-entropy, forward], noise: [{kind: asymmetric, level: .2}]}", commands: 1},
		"a file of T":  {yaml: "dataset: mnist\nnoise: {kind: matrix, file: T of mine.csv}\ngrid: {loss: [forward], seed: [1, 2]}", commands: 1},
		"T of a loss":  {yaml: "dataset: mnist\nepochs: 3\nloss: forward\ntransition: T of mine.csv", more: [][]string{{"loss=cross-entropy", "transition=\"\""}}, commands: 2},
		"no two alike": {yaml: "dataset: mnist\ngrid: {loss: [cross-entropy], seed: [1]}", more: unlike(20), commands: 1},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "T of mine.csv"), []byte("0,1,2,3,4,5,6,7,8,9\n"+strings.Repeat(".1,.1,.1,.1,.1,.1,.1,.1,.1,.1\n", 10)))
			file := filepath.Join(root, "my.yaml")
			write(t, file, []byte(strings.TrimSpace(test.yaml)+"\n"))
			want := map[string]bool{}
			for _, overrides := range append([][]string{nil}, test.more...) {
				runs, err := config.Load(file, overrides...)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range runs {
					want[c.ID()] = true
					leave(t, filepath.Join(root, "runs"), c)
				}
			}
			study, err := report.Load(filepath.Join(root, "runs"))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, table := range study.Tables() {
				lines = append(lines, table.Reproduce()...)
			}
			if len(lines) != test.commands {
				t.Errorf("%d commands, want %d:\n%s", len(lines), test.commands, strings.Join(lines, "\n"))
			}
			if name == "no two alike" { // the line that counts what it does not name
				if !strings.Contains(lines[0], "# and 20 more") {
					t.Errorf("it says %s", lines[0])
				}
				return
			}
			got := map[string]bool{}
			for _, line := range lines {
				maps.Copy(got, named(t, line))
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("runs (-there +named by the commands):\n%s\n%s", diff, strings.Join(lines, "\n"))
			}
		})
	}
}

// unlike are overrides of runs of which no two share their clip.
func unlike(n int) [][]string {
	var out [][]string
	for k := range n {
		out = append(out, []string{fmt.Sprintf("clip=.%03d", k+1), "seed=2"})
	}
	return out
}

// leave writes the folder of a finished run.
func leave(t *testing.T, root string, c config.Config) {
	t.Helper()
	dir := filepath.Join(root, c.ID())
	makeFolder(t, dir)
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, store.ConfigFile), text)
	result, err := json.Marshal(store.Result{Schema: 1, ID: c.ID(), State: store.Done, Config: c, Finished: "2026-01-02T03:04:05Z",
		Selected: metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 90}, Last: metrics.Epoch{Epoch: c.Epochs, TestAccuracy: 90}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, store.ResultFile), result)
}

// named are the IDs of the runs that a command line asks for.
func named(t *testing.T, line string) map[string]bool {
	t.Helper()
	words := shellWords(t, line)
	var out, diagnostics bytes.Buffer
	p := Program{Stdout: &out, Stderr: &diagnostics}
	code := p.Main(append(words, "--dry-run", "--json"))
	var listed struct {
		Runs []struct {
			ID    string
			Added bool
		}
	}
	if err := json.Unmarshal(out.Bytes(), &listed); err != nil || code != app.ExitDone {
		t.Fatalf("%s: exit code %d, %v: %s", strings.Join(words, " "), code, err, diagnostics.String())
	}
	ids := map[string]bool{}
	for _, r := range listed.Runs {
		if !r.Added {
			ids[r.ID] = true
		}
	}
	return ids
}

// shellWords is a command line as sh splits it.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+line).Output()
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}
