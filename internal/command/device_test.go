package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// standIn returns the environment of a process on the stand-in of tools/standin, loaded by
// make test-device. Its settings are faults, such as "memory=5200k" or "lose=1000".
func standIn(t *testing.T, work, settings string) map[string]string {
	t.Helper()
	if torchtest.Device() == torch.CPU || torchtest.OnGPU() {
		t.Skip("make test-device tests it")
	}
	vars := realVars(t, work)
	vars["LOSSCORR_STANDIN"] = settings
	return vars
}

const fourRuns = `dataset: mnist
noise: {kind: asymmetric, level: .3}
epochs: 4
batch_size: 32
device: cuda
grid: {loss: [cross-entropy, forward, backward, unhinged]}
`

// oneGrid writes the work of a device test: digits and a grid of four runs.
func oneGrid(t *testing.T, settings string) (work string, vars map[string]string) {
	t.Helper()
	work = t.TempDir()
	vars = standIn(t, work, settings)
	delete(vars, "LOSSCORR_DEVICE")
	datatest.Digits(t, filepath.Join(work, "data", "mnist"), 300, 100)
	write(t, filepath.Join(work, "c.yaml"), []byte(fourRuns))
	return work, vars
}

// accuracies returns the accuracies of the n runs below a folder, by their IDs.
func accuracies(t *testing.T, n int, elem ...string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for id, r := range resultsIn(t, filepath.Join(elem...), n) {
		all[id] = r.Last.TestAccuracy
	}
	return all
}

// The runs of a plan spread over the devices, and give the same results as on one device.
func TestTwoDevices(t *testing.T) {
	work, vars := oneGrid(t, "devices=2")
	start(t, work, vars, "train", "c.yaml", "--out", "two").ends(t, 0)
	start(t, work, vars, "train", "c.yaml", "--out", "one", "--device", "cuda:1").ends(t, 0)
	environments := ""
	for _, path := range glob(t, 4, work, "two", "*", "env.json") {
		environments += string(read(t, path))
	}
	expect.Says(t, environments, "stand-in 0", "stand-in 1")
	if diff := cmp.Diff(accuracies(t, 4, work, "one"), accuracies(t, 4, work, "two")); diff != "" {
		t.Errorf("one device and two (-one +two):\n%s", diff)
	}
}

// Runs that share a device, each on its own thread with a stream and recordings, give the same results as
// one run at a time and as steps without recording.
func TestRunsShareADevice(t *testing.T) {
	work, vars := oneGrid(t, "devices=1")
	start(t, work, vars, "train", "c.yaml", "--out", "one", "--workers", "1").ends(t, 0)
	start(t, work, vars, "train", "c.yaml", "--out", "four", "--workers", "4").ends(t, 0)
	start(t, work, vars, "train", "c.yaml", "--out", "plain", "--workers", "4", "record=off").ends(t, 0)
	for _, other := range []string{"four", "plain"} {
		if diff := cmp.Diff(accuracies(t, 4, work, "one"), accuracies(t, 4, work, other)); diff != "" {
			t.Errorf("one after the other and %s (-one +%s):\n%s", other, other, diff)
		}
		for _, path := range glob(t, 4, work, other, "*", store.LogFile) {
			if log := string(read(t, path)); strings.Contains(log, "training steps: recorded") != (other == "four") {
				t.Errorf("%s: %s", path, log)
			}
		}
	}
}

// If a run needs more memory than the device has, only that run fails, and its memory is freed.
func TestOutOfMemoryEndsItsRun(t *testing.T) {
	work, vars := oneGrid(t, "devices=1,memory=5200k")
	write(t, filepath.Join(work, "c.yaml"), []byte(strings.NewReplacer("batch_size: 32\n", "", "grid: {",
		"grid: {batch_size: [250, 32], ", ", backward, unhinged", "").Replace(fourRuns)))
	start(t, work, vars, "train", "c.yaml", "--out", "runs").
		fails(t, app.ExitGridFailed, "2 of 4 runs failed", "CUDA out of memory")
	for id, r := range resultsIn(t, filepath.Join(work, "runs"), 2) {
		if r.Config.BatchSize != 32 {
			t.Errorf("%s is done with batches of %d", id, r.Config.BatchSize)
		}
	}
}

// A lost device fails the run that met it and ends the process; the next one resumes.
func TestLostDevice(t *testing.T) {
	work, vars := oneGrid(t, "devices=1")
	start(t, work, vars, "train", "c.yaml", "--out", "undisturbed").ends(t, 0)
	vars["LOSSCORR_STANDIN"] = "devices=1,lose=5000"
	start(t, work, vars, "train", "c.yaml", "--out", "runs").
		fails(t, app.ExitUnavailable, "an illegal memory access was encountered",
			"left CUDA unusable; run the same command again for the other runs")
	glob(t, 1, work, "runs", "*", store.ResultFile) // of the run before
	vars["LOSSCORR_STANDIN"] = "devices=1"
	start(t, work, vars, "train", "c.yaml", "--out", "runs").ends(t, 0)
	if diff := cmp.Diff(accuracies(t, 4, work, "undisturbed"), accuracies(t, 4, work, "runs")); diff != "" {
		t.Errorf("after a lost device (-undisturbed +got):\n%s", diff)
	}
}
