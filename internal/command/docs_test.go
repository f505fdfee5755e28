package command

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/store"
)

// The examples of docs/configuration.md work as they stand.
func TestConfigurationGuide(t *testing.T) {
	guide := string(read(t, filepath.Join("..", "..", "docs", "configuration.md")))
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
}

// Every command in docs/grids.md is one that the program understands.
func TestGridGuide(t *testing.T) {
	guide := string(read(t, filepath.Join("..", "..", "docs", "grids.md")))
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
}
