package command

import (
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
