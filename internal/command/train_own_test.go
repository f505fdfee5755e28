package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/files"
)

// Of an example in several files of --trusted the last one holds; what the user sets, such as
// warmup_epochs, stays.
func TestTrainOwnTakesWhatIsGiven(t *testing.T) {
	dir := t.TempDir()
	rows := "x,label\n"
	for k := range 40 {
		rows += []string{"1,a\n", "2,b\n"}[k%2]
	}
	for name, text := range map[string]string{"t.csv": rows, "first.csv": "id,label\n0,b\n2,b\n", "second.csv": "id,label\n0,a\n1,b\n"} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	startProgram(t, "losscorr", dir, nil, "train", "t.csv", "--features", "x", "--out", "out",
		"--trusted", "first.csv", "--trusted", "second.csv", "epochs=6", "warmup_epochs=3").ends(t, 0)
	trusted := files.Glob(filepath.Join(dir, "out"), "trusted-*.csv")
	if len(trusted) != 1 {
		t.Fatalf("files %q", trusted)
	}
	if got, want := string(read(t, trusted[0])), "index,label\n0,a\n1,b\n2,b\n"; got != want {
		t.Errorf("trusted labels %q, want %q", got, want)
	}
	runs := files.Glob(filepath.Join(dir, "out"), "*/config.yaml")
	for _, run := range runs {
		if text := string(read(t, run)); !strings.Contains(text, "warmup_epochs: 3") {
			t.Errorf("%s\nwant warmup_epochs: 3", text)
		}
	}
	if len(runs) == 0 {
		t.Error("no run")
	}
}

// A training on texts looks at them by the view of --view or, without one, by the best of the audit,
// and predict makes the same features of new texts.
func TestTrainByAView(t *testing.T) {
	dir := t.TempDir()
	vars := realVars(t, dir)
	rows, fresh := "text,label\n", "text\n"
	for k := range 80 {
		word := []string{"good", "bad"}[k%2]
		rows += fmt.Sprintf("a %s film number %d,%s\n", word, k/4, []string{"pos", "neg"}[k%2])
		fresh += "the film is " + word + "\n"
	}
	write(t, filepath.Join(dir, "t.csv"), []byte(rows))
	write(t, filepath.Join(dir, "new.csv"), []byte(fresh))
	startProgram(t, "losscorr-real", dir, vars, "audit", "t.csv", "--text", "text", "--view", "tfidf", "--folds", "2", "--out", "audit", "--quiet").ends(t, 0)
	for name, args := range map[string][]string{
		"by-name":  {"train", "t.csv", "--text", "text", "--view", "tfidf"},
		"by-audit": {"train", "--audit", "audit"},
	} {
		startProgram(t, "losscorr-real", dir, vars, append(args, "--out", name, "--quiet", "epochs=20")...).ends(t, 0)
		runs := files.Glob(filepath.Join(dir, name), "*/config.yaml")
		if len(runs) == 0 {
			t.Errorf("%s: no run", name)
		}
		for _, run := range runs {
			if text := string(read(t, run)); !strings.Contains(text, "view: tfidf") || !strings.Contains(text, "model: linear") {
				t.Errorf("%s: %s\nwant view tfidf and a linear network", name, text)
			}
		}
		startProgram(t, "losscorr-real", dir, vars, "predict", filepath.Dir(runs[0]), "new.csv", "--text", "text", "--out", name+".csv").ends(t, 0)
		lines := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(dir, name+".csv")))), "\n")[1:]
		right := 0
		for k, line := range lines {
			if strings.Contains(line, ","+[]string{"pos", "neg"}[k%2]+",") {
				right++
			}
		}
		if len(lines) != 80 || right < 70 {
			t.Errorf("%s: %d of %d predictions are right: %q", name, right, len(lines), lines[:2])
		}
	}
	for want, args := range map[string][]string{
		"leave no choice":      {"--view", "tfidf", "--model", "linear"},
		"no view of text":      {"--view", "own"},
		"tfidf, words, minilm": {"--view", "tfdif"},
		"encoders get minilm":  {"--view", "minilm", "--offline"},
	} {
		p := startProgram(t, "losscorr-real", dir, vars, append([]string{"train", "t.csv", "--text", "text", "--out", "none"}, args...)...)
		_ = p.Wait() // the words tell
		if text := p.err.String(); !strings.Contains(text, want) {
			t.Errorf("%q: %s, want %q", args, text, want)
		}
	}
}
