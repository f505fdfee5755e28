package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/command/app"
	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

// docs/configuration.md names every key with its presets' values, but for those of source,
// which docs/own-data.md names, every exit code and every file of a run, and its examples work
// as they stand.
func TestConfigurationGuide(t *testing.T) {
	guide := string(read(t, filepath.Join("..", "docs", "configuration.md")))
	own := string(read(t, filepath.Join("..", "docs", "own-data.md"))) // has the keys of source
	_, own, _ = strings.Cut(own, "\nThe keys of `source` are ")
	own, _, _ = strings.Cut(own, "\n\n")
	for _, key := range config.Keys() {
		source, found := strings.CutPrefix(key, "source.")
		if !found && !strings.Contains(guide, "| `"+key+"` |") || found && !strings.Contains(own, "`"+source+"`") {
			t.Errorf("no key %s", key)
		}
	}
	for _, code := range []int{
		app.ExitDone, app.ExitFailed, app.ExitUsage, app.ExitGridFailed, app.ExitData, app.ExitUnavailable, app.ExitStopped, app.ExitConfig, 128 + 2, 128 + 15,
	} {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^\| (\d+, )?%d\b`, code)).MatchString(guide) {
			t.Errorf("no exit code %d", code)
		}
	}
	for k, preset := range []string{"code", "paper", "fixed"} {
		checkPreset(t, guide, preset, k)
	}

	dir := t.TempDir()
	vars := realVars(t, dir)
	writeDigits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	blocks := regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```$").FindAllStringSubmatch(guide, -1)
	ran := 0
	for _, b := range blocks {
		if b[1] == "yaml" {
			name := strings.TrimPrefix(strings.SplitN(b[2], "\n", 2)[0], "# ")
			write(t, filepath.Join(dir, name), []byte(b[2]))
			continue
		}
		for line := range strings.Lines(b[2]) {
			words := strings.Fields(line)
			if words[0] != "losscorr" {
				t.Fatalf("an example that is not ours: %s", line)
			}
			start(t, dir, vars, words[1:]...).ends(t, 0)
			ran++
		}
	}
	if ran < 5 {
		t.Errorf("%d examples ran", ran)
	}
	results, err := filepath.Glob(filepath.Join(dir, "runs", "run", "*", store.ResultFile))
	if err != nil || len(results) != 2 {
		t.Fatalf("%d finished runs, want 2 (%v)", len(results), err)
	}
	files := append(list(t, filepath.Dir(results[0])), list(t, filepath.Dir(results[0]), "checkpoints")...)
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".safetensors"); !strings.Contains(guide, "`"+name) {
			t.Errorf("no word of %s, which a run leaves", file)
		}
	}
}

// checkPreset compares the defaults of the tables of keys with the preset: those of a table
// with a column for each preset, and those that all presets share.
func checkPreset(t *testing.T, guide, preset string, column int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, []byte("dataset: mnist\npreset: "+preset+"\n"))
	doc, err := config.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(guide) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		key := strings.Trim(cells[0], " `")
		if !strings.HasPrefix(line, "| `") || !slices.Contains(config.Keys(), key) {
			continue
		}
		if len(cells) != 3 && len(cells) != 5 {
			t.Errorf("%s has %d cells", key, len(cells))
			continue
		}
		want := strings.TrimSpace(cells[2])
		if len(cells) == 5 {
			want = strings.TrimSpace(cells[2+column])
		}
		if want == "" || want == "required" || key == "preset" {
			continue
		}
		// Setting what the table says must leave the run as it is.
		with, err := config.Read(file, key+"="+want)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if a, b := only(t, doc), only(t, with); a != b {
			t.Errorf("preset %s: %s is not %s", preset, key, want)
		}
		compared++
	}
	if compared < 40 {
		t.Errorf("preset %s: only %d keys compared", preset, compared)
	}
}

// only is the text of the single run of a document, device aside.
func only(t *testing.T, doc *config.Document) string {
	t.Helper()
	runs, err := doc.Resolve()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	runs[0].Config.Device = ""
	return fmt.Sprintf("%+v", runs[0].Config)
}

func list(t *testing.T, elem ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// Every command in docs/grids.md is one that the program understands, and it names every state of a run.
func TestGridGuide(t *testing.T) {
	guide := string(read(t, filepath.Join("..", "docs", "grids.md")))
	top := app.Program(Default()).Complete().App("losscorr", "")
	top.Commands = commands(app.Program(Default()))
	checked := 0
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		for line := range strings.Lines(block[1]) {
			if _, err := app.Permute(top, strings.Fields(line)); err != nil {
				t.Errorf("%s%v", line, err)
			}
			checked++
		}
	}
	if checked < 9 {
		t.Errorf("%d commands, want 9 at least", checked)
	}
	for _, state := range []string{store.Done, store.Diverged, store.Running, store.Silent, store.Killed, store.Stopped, store.Failed, store.Pending} {
		if !strings.Contains(guide, state) {
			t.Errorf("no word of the state %s", state)
		}
	}
}
