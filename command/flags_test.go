package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/own"
)

// Where no progress is asked for, the reading of data shows none, either, and no time
// is foretold. Where JSON is, there is nothing else beside it.
func TestBeforeTheRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, []byte("dataset: mnist\n"))
	const plain = "this takes about 1 h 0 min, by the first steps (1 run, 1 at a time)\n"
	events := filepath.Join(t.TempDir(), "events.json")
	for _, tt := range []struct {
		flag     string
		silent   bool   // the reading
		foretold string // in what is shown
	}{
		{"--quiet", true, ""},
		{"--progress=none", true, ""},
		{"--progress=lines", false, plain},
		{"--quiet=false", false, plain},
		{"--progress=json", true, `"event":"note","text":"this takes about`},
		{"--progress=json:" + events, false, ""},
	} {
		calls := 0
		var shown bytes.Buffer
		p := pretending(fakePipeline{each: time.Hour, preflight: func(_ context.Context, opt dataset.Options) error {
			calls++
			if silent := opt.Progress == nil; silent != tt.silent {
				t.Errorf("%s: silent is %v", tt.flag, silent)
			}
			return nil
		}})
		p.Stderr = &shown
		if code := p.Main([]string{"losscorr", "train", file, tt.flag, "--out", t.TempDir()}); code != ExitDone || calls != 1 {
			t.Errorf("%s: exit code %d, data read %d times", tt.flag, code, calls)
		}
		if got := shown.String(); !strings.Contains(got, tt.foretold) || tt.foretold == "" && strings.Contains(got, "this takes") {
			t.Errorf("%s: shown is %q, want %q in it", tt.flag, got, tt.foretold)
		}
		for line := range strings.Lines(shown.String()) {
			if tt.flag == "--progress=json" && !json.Valid([]byte(line)) {
				t.Errorf("%s: %q is no JSON", tt.flag, line)
			}
		}
	}
}

// Each flag has an environment variable LOSSCORR_ and its name, except those that choose rows
// of results, and what reads prints JSON on request. A variable is yes or no for all
// commands that read it, or for none.
func TestFlags(t *testing.T) {
	p := Program{}.complete()
	reads, switches := map[string]bool{}, map[string]bool{}
	var rows []string
	for _, f := range listFlags() {
		rows = append(rows, f.Names()[0])
	}
	var walk func(string, []*cli.Command)
	walk = func(above string, commands []*cli.Command) {
		for _, c := range commands {
			walk(above+c.Name+" ", c.Subcommands)
			for _, f := range c.Flags {
				reads[above+c.Name] = reads[above+c.Name] || slices.Contains(f.Names(), "json")
				variable := "LOSSCORR_" + strings.ToUpper(strings.ReplaceAll(f.Names()[0], "-", "_"))
				documented, ok := f.(cli.DocGenerationFlag)
				without := above == "results " && slices.Contains(rows, f.Names()[0])
				if !ok || slices.Contains(documented.GetEnvVars(), variable) == without {
					t.Errorf("%s%s --%s: %s is there: %v, want %v", above, c.Name, f.Names()[0], variable, without, !without)
				}
				_, yes := f.(*cli.BoolFlag)
				if before, known := switches[variable]; known && before != yes && !without {
					t.Errorf("%s%s --%s: %s is yes or no: %v, and %v for another command", above, c.Name, f.Names()[0], variable, yes, before)
				}
				switches[variable] = yes
			}
		}
	}
	walk("", p.commands())
	for _, name := range []string{"train", "doctor", "config show", "version"} {
		if !reads[name] {
			t.Errorf("%s has no --json", name)
		}
	}
}

// A path is no override, whatever its folders are called.
func TestSplit(t *testing.T) {
	names, given := split([]string{"c.yaml", "runs/lr=.1", "optimizer.learning_rate=.1", "./x=1.csv", "trusted=a/b.csv", "learning-rate=2"})
	if diff := cmp.Diff([]string{"c.yaml", "runs/lr=.1", "./x=1.csv"}, names) + cmp.Diff([]string{"optimizer.learning_rate=.1", "trusted=a/b.csv", "learning-rate=2"}, given); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A link stays a link, and what is no file stays what it is.
func TestWriteFile(t *testing.T) {
	text := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	t.Chdir(t.TempDir())
	write(t, "file", []byte("old"))
	if err := os.Symlink("file", "link"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeFile("link", text); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink("link"); err != nil || to != "file" || string(read(t, "file")) != "new" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	done := make(chan error, 1)
	go func() { done <- writeFile("pipe", text) }()
	if got := string(read(t, "pipe")); got != "new" {
		t.Errorf("%q through the pipe", got)
	}
	if info, err := os.Lstat("pipe"); <-done != nil || err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is %v now, %v", info.Mode(), err)
	}
}

// An audit is named after its data, whose name may have dots.
func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"in/data.2023.csv": "data.2023", "X.NPY": "X", "photos.tar.gz": "photos", "photos/": "photos", "r.jsonl.gz": "r", ".csv": ".csv", "v1.2": "v1.2",
	} {
		if got := nameOf(own.Source{Path: path}); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}
