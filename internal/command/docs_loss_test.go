package command

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/store"
)

// docs/own-loss.md works word for word: the program with the loss of plain operations trains
// with it, and the gradients of both forms are right. The go command sees the files in a folder
// of this module through an overlay.
func TestOwnLossGuide(t *testing.T) {
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeDigits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	guide := string(read(t, filepath.Join("..", "..", "docs", "own-loss.md")))
	files := map[string][]string{}
	for _, b := range regexp.MustCompile("(?ms)^```(go|yaml)\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		name := regexp.MustCompile(`^(//|#) (\S+)\n`).FindStringSubmatch(b[2])[2]
		files[name] = append(files[name], b[2])
	}
	if len(files["focal.go"]) != 2 || len(files["main.go"]) != 1 || len(files["focal_test.go"]) != 1 {
		t.Fatalf("the guide has the files %v", files)
	}
	write(t, filepath.Join(dir, "run.yaml"), []byte(files["run.yaml"][0]))
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range files["focal.go"] {
		replaced := map[string]string{}
		for name, text := range map[string]string{"focal.go": text, "main.go": files["main.go"][0], "focal_test.go": files["focal_test.go"][0]} {
			path := filepath.Join(t.TempDir(), name)
			write(t, path, []byte(text))
			replaced[filepath.Join(root, "cmd", "own", name)] = path
		}
		places, err := json.Marshal(map[string]any{"Replace": replaced})
		if err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(dir, "overlay.json")
		write(t, overlay, places)
		run := func(args ...string) {
			cmd := exec.Command("go", append(args, "./cmd/own")...)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("form %d: go %s: %v\n%s", form+1, strings.Join(args, " "), err, out)
			}
		}
		tests := filepath.Join(dir, "own.test")
		run("test", "-c", "-vet=off", "-overlay", overlay, "-buildvcs=false", "-o", tests)
		startProgram(t, tests, dir, vars, "-test.run", "TestGradient").ends(t, 0)
		if form > 0 {
			break // both train alike
		}
		own := filepath.Join(dir, "own")
		run("build", "-overlay", overlay, "-buildvcs=false", "-o", own)
		startProgram(t, own, dir, vars, "train", "run.yaml").ends(t, app.ExitDone)
		if r := theResult(t, filepath.Join(dir, "runs", "run")); r.Config.Loss != "focal" || r.State != store.Done {
			t.Errorf("the run is %+v", r)
		}
		p := startProgram(t, own, dir, vars, "train", "run.yaml", "loss=foca")
		p.ends(t, app.ExitConfig)
		contains(t, "stderr", p.err.String(), `did you mean "focal"?`)
	}
}
