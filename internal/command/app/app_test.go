package app

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/urfave/cli/v2"
)

// Links stay links, and devices and pipes stay what they are.
func TestWriteFile(t *testing.T) {
	new := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	text := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	t.Chdir(t.TempDir())
	err := errors.Join(os.WriteFile("file", []byte("old"), 0o666), os.Symlink("file", "link"),
		syscall.Mkfifo("pipe", 0o600), WriteFile("link", new))
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink("link"); err != nil || to != "file" || text("file") != "new" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	done := make(chan error, 1)
	go func() { done <- WriteFile("pipe", new) }()
	if got := text("pipe"); got != "new" {
		t.Errorf("%q through the pipe", got)
	}
	if info, err := os.Lstat("pipe"); <-done != nil || err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe is %v now, %v", info.Mode(), err)
	}
}

func TestPermute(t *testing.T) {
	line := &cli.App{Name: "p", Commands: []*cli.Command{{
		Name: "run", ArgsUsage: "FILE [key=value...]", Flags: []cli.Flag{&cli.BoolFlag{Name: "dry"}, &cli.IntFlag{Name: "n"}},
	}, {Name: "see", ArgsUsage: "FILE"}}}
	for _, tt := range []struct{ args, want string }{
		{"p run a.yaml --dry", "p run --dry a.yaml"},
		{"p run a.yaml -n 3 k=v --dry=false", "p run -n 3 --dry=false a.yaml k=v"},
		{"p run a.yaml --n=3", "p run --n=3 a.yaml"},
		{"p run a.yaml -- --dry", "p run -- a.yaml --dry"},
		{"p help run", "p help run"},
		{"p run a.yaml --dry --help", "p run --help"},
		{"p run -h a.yaml", "p run -h"},
		{"p --version", "p --version"},
		{"p run --generate-bash-completion", "p run --generate-bash-completion"},
	} {
		got, err := Permute(line, strings.Fields(tt.args))
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("permute(%s) = %s, %v; want %s", tt.args, strings.Join(got, " "), err, tt.want)
		}
	}
	for args, want := range map[string]string{
		"p rum a.yaml":            `unknown command "rum", did you mean "run"?`,
		"p run a.yaml --dy":       `unknown flag --dy, did you mean "--dry"?`,
		"p run a.yaml --n":        "flag --n needs a value",
		"p run a.yaml --epochs 3": "unknown flag --epochs; write settings without dashes, such as epochs=VALUE",
		"p run a.yaml --learning-rate 1": "unknown flag --learning-rate; write settings without dashes, such as " +
			"optimizer.learning_rate=VALUE",
		"p run a.yaml --n --dry":  "flag --n needs a value, and --dry is a flag (--n=--dry if it is the value)",
		"p see a.yaml --epochs 3": "unknown flag --epochs (see p see --help)",
		"p see a.yaml -x":         "unknown flag -x (see p see --help)",
		"p help rum":              `unknown command "rum", did you mean "run"?`,
	} {
		_, err := Permute(line, strings.Fields(args))
		var wrong *UsageError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("permute(%s): %v, want %q", args, err, want)
		}
	}
}

// The command that repeats an audit does not name the file of answers, since the folder has them.
func TestCommandLine(t *testing.T) {
	for command, want := range map[string]string{
		"losscorr audit x.csv --id id":                               "losscorr audit x.csv --id id",
		"losscorr audit x.csv --answers-from a.csv --id id":          "losscorr audit x.csv --id id",
		"losscorr audit --answers-from=a.csv x.csv --answers-from c": "losscorr audit x.csv",
	} {
		line := &cli.App{Name: "losscorr", Metadata: map[string]any{ArgsKey: strings.Fields(command)}}
		if got := CommandLine(cli.NewContext(line, nil, nil), "answers-from"); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}

func TestParseSeeds(t *testing.T) {
	if got, err := parseSeeds("1-3, 7"); err != nil || got != "[1, 2, 3, 7]" {
		t.Errorf("%s, %v", got, err)
	}
	for _, text := range []string{"", "x", "3-1", "1,,2", "-1", "1-99999999", "0-18446744073709551615"} {
		if got, err := parseSeeds(text); err == nil {
			t.Errorf("parseSeeds(%q) = %s, want an error", text, got)
		}
	}
}

// A path is never an override, whatever its folders are called.
func TestSplit(t *testing.T) {
	names, given := Split([]string{"c.yaml", "runs/lr=.1", "optimizer.learning_rate=.1", "./x=1.csv", "trusted=a/b.csv",
		"learning-rate=2"})
	if diff := cmp.Diff([]string{"c.yaml", "runs/lr=.1", "./x=1.csv"}, names) +
		cmp.Diff([]string{"optimizer.learning_rate=.1", "trusted=a/b.csv", "learning-rate=2"}, given); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Drawn noise needs its level; without one there would be no noise.
func TestNoiseNeedsALevel(t *testing.T) {
	for _, text := range []string{"symmetric", "none,asymmetric"} {
		expect.Fails(t, expect.Err(parseNoises(text)), "needs a level", text)
	}
	for _, text := range []string{"none", "symmetric:0,asymmetric:.6", "matrix:T.csv"} {
		if _, err := parseNoises(text); err != nil {
			t.Errorf("--noise %s: %v", text, err)
		}
	}
}
