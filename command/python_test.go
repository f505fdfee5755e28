package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/python.md works word for word, in both directions; what Python says of the
// loaded network is what the run has measured. Needs a Python with torch and
// safetensors: make test-export PYTHON=...
func TestPythonGuide(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON names no Python with torch: make test-export PYTHON=... runs this")
	}
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeDigits(t, filepath.Join(dir, "data", "mnist"), 400, 100)
	guide := string(read(t, filepath.Join("..", "docs", "python.md")))
	ran := 0
	run := func(args ...string) string {
		cmd := exec.Command(python, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, b := range regexp.MustCompile("(?ms)^```(python|yaml|sh)\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		if b[1] != "sh" {
			name := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(b[2], "\n", 2)[0], "# "))
			write(t, filepath.Join(dir, name), []byte(b[2]))
			continue
		}
		for line := range strings.Lines(b[2]) {
			words := strings.Fields(line)
			switch words[0] {
			case "python3":
				run(words[1:]...)
			case "losscorr":
				start(t, dir, vars, words[1:]...).ends(t, 0)
			default:
				t.Fatalf("an example of another program: %s", line)
			}
			ran++
		}
	}
	if ran != 5 {
		t.Errorf("%d commands ran, want 5", ran)
	}
	r := theResult(t, filepath.Join(dir, "runs", "run"))
	if r.Config.Loss != "forward" || !strings.HasSuffix(r.Config.Model, "network.pt2") {
		t.Fatalf("the run is %+v", r.Config)
	}
	write(t, filepath.Join(dir, "check.py"), []byte(`
import glob, gzip
from load import model
import torch
def idx(kind, head):
    [path] = glob.glob("data/mnist/t10k-" + kind + "*")
    raw = (gzip.open if path.endswith("gz") else open)(path, "rb").read()
    return torch.frombuffer(bytearray(raw[head:]), dtype=torch.uint8)
x, y = idx("images", 16).view(-1, 1, 28, 28) / 255, idx("labels", 8)
print("accuracy", 100 * (model(x).argmax(1) == y).float().mean().item())
print("batches", model[1].num_batches_tracked.item())
`))
	out := run("check.py")
	var accuracy, batches float64
	for line := range strings.Lines(out) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), " "); found && key == "accuracy" {
			accuracy, _ = strconv.ParseFloat(value, 64)
		} else if found && key == "batches" {
			batches, _ = strconv.ParseFloat(value, 64)
		}
	}
	if d := accuracy - r.Selected.TestAccuracy; d > .01 || d < -.01 {
		t.Errorf("Python has %v %% of the test set right, the run %v", accuracy, r.Selected.TestAccuracy)
	}
	if want := float64(r.Selected.Epoch * 3); batches != want { // 360 examples, 128 a batch
		t.Errorf("%v batches counted, want %v", batches, want)
	}
}
