package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/datatest"
)

// docs/python.md works word for word, in both directions; Python measures the same
// accuracy of the loaded network as the run. Needs a Python with torch and
// safetensors: make -f .ci/checks.mk test-export PYTHON=...
func TestPythonGuide(t *testing.T) {
	python := os.Getenv("LOSSCORR_TEST_PYTHON")
	if python == "" {
		t.Skip("LOSSCORR_TEST_PYTHON names no Python with torch: make -f .ci/checks.mk test-export PYTHON=... runs this")
	}
	dir, vars := workplace(t)
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 400, 100)
	guide := string(read(t, filepath.Join("..", "..", "docs", "python.md")))
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
from inputs import inputs
from load import model, path
import torch
def idx(kind, head):
    [path] = glob.glob("data/mnist/t10k-" + kind + "*")
    raw = (gzip.open if path.endswith("gz") else open)(path, "rb").read()
    return torch.frombuffer(bytearray(raw[head:]), dtype=torch.uint8)
x, y = inputs(path, idx("images", 16).view(-1, 1, 28, 28)), idx("labels", 8)
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

	checkInputs(t, dir, vars, run)
}

// checkInputs compares accuracies of networks with shifted and scaled inputs to those by
// inputs.py of the guide: pixels by channel, by pixel, and the columns of a table, whose
// network takes raw numbers.
func checkInputs(t *testing.T, dir string, vars map[string]string, python func(args ...string) string) {
	t.Helper()
	write(t, filepath.Join(dir, "table.py"), []byte(`
import numpy, torch
from torch import nn
rng = numpy.random.default_rng(1)
y = rng.integers(0, 3, 600)
x = rng.normal(size=(600, 3)).astype("float32")
x[numpy.arange(600), y] += 3
x = x * [1, 100, .01] + [5, -700, 3]
numpy.save("X.npy", x[:400].astype("float32")), numpy.save("y.npy", y[:400])
numpy.save("X_test.npy", x[400:].astype("float32")), numpy.save("y_test.npy", y[400:])
batch = torch.export.Dim("batch")
program = torch.export.export(nn.Sequential(nn.Linear(3, 3)).train(), (torch.randn(2, 3),), dynamic_shapes=({0: batch},))
torch.export.save(program, "table.pt2")
`))
	python("table.py")
	write(t, filepath.Join(dir, "table.yaml"), []byte(`dataset: own
source: {path: X.npy, labels: y.npy, test: X_test.npy, test_labels: y_test.npy}
model: table.pt2
epochs: 20
batch_size: 32
optimizer: {learning_rate: .05}
`))
	write(t, filepath.Join(dir, "accuracy.py"), []byte(`
import glob, gzip, sys
import numpy, torch
from torch import nn
from export import network
from inputs import inputs
from safetensors.torch import load_file
[path] = glob.glob("runs/" + sys.argv[1] + "/*/checkpoints/best.safetensors")
if sys.argv[1] == "table":
    model, x, y = nn.Sequential(nn.Linear(3, 3)), torch.tensor(numpy.load("X_test.npy")), torch.tensor(numpy.load("y_test.npy"))
else:
    def idx(kind, head):
        [path] = glob.glob("data/mnist/t10k-" + kind + "*")
        raw = (gzip.open if path.endswith("gz") else open)(path, "rb").read()
        return torch.frombuffer(bytearray(raw[head:]), dtype=torch.uint8)
    model, x, y = network(), idx("images", 16).view(-1, 1, 28, 28), idx("labels", 8)
model.load_state_dict(load_file(path))
model.eval()
right = lambda x: 100 * (model(x).argmax(1) == y).float().mean().item()
print(right(inputs(path, x)), right(x.float()))
`))
	for name, args := range map[string][]string{
		"standard":   {"run.yaml", "preprocessing=standard"},
		"pixel-mean": {"run.yaml", "preprocessing=pixel-mean"},
		"table":      {"table.yaml"},
	} {
		start(t, dir, vars, append(append([]string{"train"}, args...), "--out", "runs/"+name)...).ends(t, 0)
		want := theResult(t, filepath.Join(dir, "runs", name)).Selected.TestAccuracy
		var prepared, stored float64
		if _, err := fmt.Sscan(python("accuracy.py", name), &prepared, &stored); err != nil {
			t.Fatal(err)
		}
		if d := prepared - want; d > .01 || d < -.01 {
			t.Errorf("%s: Python has %v %% of the test set right, the run %v", name, prepared, want)
		}
		if name == "table" && stored > want-20 {
			t.Errorf("without the moments Python has %v %% right, the run %v: this data does not show them", stored, want)
		}
	}
}
