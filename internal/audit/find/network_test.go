package find_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// The network of an audit is one of those that its summary names, not a better one of an
// audit that it has replaced.
func TestNetworkOfAudit(t *testing.T) {
	folder, err := audittest.Texts(t.TempDir(), 50)
	if err != nil {
		t.Fatal(err)
	}
	s, err := folder.Summary()
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range configtest.Load(t, "dataset: mnist\ngrid: {seed: [1, 2]}\n") {
		run, err := store.Claim(folder.Path(audit.RunsDir), c, nil, &store.Watch{}, store.DefaultLeaseTime)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		selected := metrics.Epoch{Epoch: 1, ValLoss: float64(2 - k)} // the second run is better
		if err := run.WriteResult(store.Result{Schema: 1, ID: run.ID, State: store.Done, Config: c, Selected: selected, Last: metrics.Epoch{Epoch: c.Epochs}}); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			s.Runs = []string{run.ID}
		}
	}
	if err := folder.WriteSummary(&s); err != nil {
		t.Fatal(err)
	}
	got, _, err := find.Network(folder.Dir())
	if want := folder.Path(audit.RunsDir, s.Runs[0], store.CheckpointsDir, train.BestFile); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// The network of corrected labels comes before one of the given ones, whose validation loss is by other labels.
func TestNetworkOfCorrectedLabels(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "corrected.csv")
	if err := os.WriteFile(file, []byte("index,label\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, more := range []string{"", "corrected: " + file + "\n"} {
		want = finished(t, dir, configtest.Load(t, "dataset: mnist\nloss: cross-entropy\n"+more)[0], float64(1+len(more)))
	}
	if got, _, err := find.Network(dir); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// Of runs with different corrected losses, whose values cannot be compared, none is chosen; of those of one loss the
// one with the lowest.
func TestNetworkOfSeveralLosses(t *testing.T) {
	dir := t.TempDir()
	want := ""
	for k, c := range configtest.Load(t, "dataset: mnist\ngrid: {loss: [cross-entropy, forward], seed: [1, 2]}\n", "noise={kind: symmetric, level: .2}") {
		want = finished(t, dir, c, -float64(k))
	}
	if got, _, err := find.Network(dir); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	finished(t, dir, configtest.Load(t, "dataset: mnist\nloss: backward\nnoise: {kind: symmetric, level: .2}\n")[0], -9)
	if _, _, err := find.Network(dir); !errors.Is(err, find.ErrSeveral) || !strings.Contains(err.Error(), "backward and forward, whose validation losses cannot be compared") {
		t.Errorf("%v", err)
	}
}

// finished leaves a run of a validation loss, and returns the file of its network.
func finished(t *testing.T, dir string, c config.Config, loss float64) string {
	t.Helper()
	run, err := store.Claim(dir, c, nil, &store.Watch{}, store.DefaultLeaseTime)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	selected := metrics.Epoch{Epoch: 1, ValLoss: loss}
	if err := run.WriteResult(store.Result{Schema: 1, ID: run.ID, State: store.Done, Config: c, Selected: selected, Last: metrics.Epoch{Epoch: c.Epochs}}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, run.ID, store.CheckpointsDir, train.BestFile)
}
