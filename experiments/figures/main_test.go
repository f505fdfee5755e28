package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/results/paper"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leave writes the result of a run into root.
func leave(t *testing.T, root string, c config.Config, accuracy float64) {
	t.Helper()
	r := store.Result{Schema: 1, ID: c.ID(), State: "done", Config: c, Finished: "2026-01-02T03:04:05Z"}
	r.Selected.TestAccuracy = accuracy
	r.Selected.Epoch, r.Last.Epoch = c.Epochs, c.Epochs
	if losses.All.Named(c.Loss).T == losses.EstimatedT {
		r.Transition = &store.TransitionInfo{
			Classes: []string{"no", "yes"}, Nominal: [][]float64{{1, 0}, {c.Noise.Level, 1 - c.Noise.Level}},
			Estimated: [][]float64{{.9, .1}, {.5, .5}},
		}
	}
	text := expect.Got(json.Marshal(r))(t)
	write(t, filepath.Join(root, c.ID()), text)
}

// write writes the result file of a run.
func write(t *testing.T, folder string, text []byte) {
	t.Helper()
	expect.OK(t, os.MkdirAll(folder, 0o777))
	expect.OK(t, os.WriteFile(filepath.Join(folder, store.ResultFile), text, 0o666))
}

func configs(t *testing.T, name string) []config.Config {
	t.Helper()
	doc := expect.Got(config.ReadFS(losscorr.Experiments(), name+".yaml"))(t)
	return expect.Got(doc.Expand())(t)
}

// Every block has a full and a quick grid with its own data set and network, the losses of the paper's figures, and
// no noise for N = 0.
func TestGrids(t *testing.T) {
	for _, block := range paper.Blocks() {
		full, quick := configs(t, "figures/"+block.Name()), configs(t, "figures/"+block.Name()+"-quick")
		if len(quick) >= len(full) {
			t.Errorf("%s: %d quick runs, %d full ones", block.Name(), len(quick), len(full))
		}
		var losses []string
		clean := 0
		for k, c := range slices.Concat(full, quick) {
			if c.Dataset != block.Dataset || c.Model != block.Model || c.Quick != (k >= len(full)) {
				t.Fatalf("%s: run %d of %d is of %s, %s, quick: %v", block.Name(), k, len(full), c.Dataset, c.Model, c.Quick)
			}
			if k < len(full) && !slices.Contains(losses, c.Loss) {
				losses = append(losses, c.Loss)
			}
			if k < len(full) && c.Noise.Kind == "none" {
				clean++
			}
		}
		if !slices.Equal(losses, report.SweepLosses()) || clean == 0 {
			t.Errorf("%s: losses %q, %d runs without noise", block.Name(), losses, clean)
		}
	}
}

// A panel shares runs with its block of Table 2.
func TestPanelsShareRunsWithTable2(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range configs(t, "mnist/mnist") {
		ids[c.ID()] = true
	}
	shared := 0
	for _, c := range configs(t, "figures/mnist") {
		if ids[c.ID()] {
			shared++
		}
	}
	if want := 3 * 5 * 5; shared != want { // none, .2 and .6, five losses, five seeds
		t.Errorf("%d runs shared, want %d", shared, want)
	}
}

// Finished runs are adopted, blocks without data skipped, and panels drawn from the runs present, with a note on the
// others.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	var asked []string
	train := func(config, out string, rest []string) int {
		asked = append(asked, config+" "+strings.Join(rest, " "))
		if !strings.HasPrefix(config, "mnist") {
			return app.ExitData
		}
		found, err := filepath.Glob(filepath.Join(out, "*", store.ResultFile))
		if err != nil || len(found) != 1 {
			t.Errorf("%d runs adopted, want 1: %v", len(found), err)
		}
		for k, c := range configs(t, "figures/"+config) {
			if k > 0 {
				leave(t, out, c, 90-c.Noise.Level*20)
			}
		}
		return app.ExitDone
	}
	leave(t, filepath.Join("runs", "mnist"), configs(t, "figures/mnist-quick")[0], 90)
	var out, diagnostics bytes.Buffer
	if code := run([]string{"quick", "--seeds", "1"}, train, &out, &diagnostics); code != app.ExitDone {
		t.Fatalf("exit code %d: %s", code, diagnostics.String())
	}
	if len(asked) != 6 || asked[0] != "mnist-quick --seeds 1" {
		t.Errorf("trained %q", asked)
	}
	expect.Same(t, 5, strings.Count(diagnostics.String(), "is left out"), "blocks left out", diagnostics.String())
	for _, name := range []string{"accuracy", "accuracy-mnist", "transition-mnist-0.7"} {
		for _, extension := range []string{".svg", ".png"} {
			if _, err := os.Stat(filepath.Join("runs", "figures", name+extension)); err != nil {
				t.Error(err)
			}
		}
	}
	expect.Says(t, out.String(), "no runs for panel (c) IMDB, LSTM: make figures BLOCK=imdb-lstm")

	expect.Same(t, app.ExitData, run([]string{"imdb-lstm"}, train, &out, &diagnostics), "the one block asked for has no data")
	asked = nil
	if code := run([]string{"draw"}, train, &out, &diagnostics); code != app.ExitDone || asked != nil {
		t.Errorf("draw: exit code %d after %q", code, asked)
	}
	bad := filepath.Join("runs", "figures", "mnist", "x")
	write(t, bad, []byte("{"))
	diagnostics.Reset()
	if code := run([]string{"draw"}, train, &out, &diagnostics); code != app.ExitData ||
		!strings.Contains(diagnostics.String(), bad) {
		t.Errorf("a damaged result: exit code %d: %s", code, diagnostics.String())
	}
}

// Blocks and the words quick and draw come before flags; other words are refused with a suggestion.
func TestParse(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", "[mnist] false []"},
		{"imdb-lstm quick seed=2", "[imdb-lstm] true [seed=2]"},
		{"mnist --loss forward draw", "[mnist] false [--loss forward draw]"},
		{"draw", "[] false []"},
	} {
		o, err := parse(strings.Fields(test.args))
		expect.OK(t, err)
		expect.Same(t, test.want, fmt.Sprint(o.blocks, o.quick, o.rest), test.args)
	}
	expect.Fails(t, expect.Err(parse([]string{"mnst"})), `unknown block "mnst"`)
}

// The example of T prefers N = .7 to any other level.
func TestExampleOfT(t *testing.T) {
	at := func(level float64, quick bool, seed uint64) store.Result {
		r := store.Result{Transition: &store.TransitionInfo{Estimated: [][]float64{{1}}}}
		r.Config.Noise, r.Config.Quick, r.Config.Seed = config.Noise{Kind: "asymmetric", Level: level}, quick, seed
		return r
	}
	runs := report.FromResults(at(.8, false, 1), at(.7, true, 1), at(.7, false, 3), at(.7, false, 2), at(.6, false, 1))
	if r := exampleOfT(runs); r.Config.Noise.Level != .7 || r.Config.Quick || r.Config.Seed != 2 {
		t.Errorf("example %+v", r.Config)
	}
	if r := exampleOfT(runs[4:]); r == nil || r.Config.Noise.Level != .6 {
		t.Errorf("example %+v", r)
	}
	expect.Same(t, nil, exampleOfT(nil), "an example without runs")
}
