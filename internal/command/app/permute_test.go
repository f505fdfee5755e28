package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

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
