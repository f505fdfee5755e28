package find_test

import (
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
	"github.com/losscorr/losscorr/internal/store"
)

// The network of an audit is one that its summary names, not a better one of a replaced audit.
func TestNetworkOfAudit(t *testing.T) {
	folder := expect.Got(audittest.Texts(t.TempDir(), 50))(t)
	s, want := expect.Got(folder.Summary())(t), ""
	for k, c := range configtest.Load(t, "dataset: mnist\ngrid: {seed: [1, 2]}\n") {
		network := finished(t, folder.Path(audit.RunsDir), c, float64(2-k)) // the second run is better
		if k == 0 {
			want, s.Runs = network, []string{filepath.Base(filepath.Dir(filepath.Dir(network)))}
		}
	}
	expect.OK(t, folder.WriteSummary(&s))
	found(t, folder.Dir(), want)
}

// found compares the chosen network.
func found(t *testing.T, dir, want string) {
	t.Helper()
	got, _, err := find.Network(dir)
	expect.OK(t, err)
	expect.Same(t, want, got)
}

// A network trained on corrected labels comes before one trained on the given ones, whose validation loss is on
// other labels.
func TestNetworkOfCorrectedLabels(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "corrected.csv")
	datasettest.Put(t, file, "index,label\n1,2\n")
	want := ""
	for _, more := range []string{"", "corrected: " + file + "\n"} {
		want = finished(t, dir, configtest.Load(t, "dataset: mnist\nloss: cross-entropy\n"+more)[0], float64(1+len(more)))
	}
	found(t, dir, want)
}

// No run is chosen among different corrected losses, which cannot be compared. Among runs of one loss, the one with
// the lowest value is.
func TestNetworkOfSeveralLosses(t *testing.T) {
	dir := t.TempDir()
	want := ""
	for k, c := range configtest.Load(t, "dataset: mnist\ngrid: {loss: [cross-entropy, forward], seed: [1, 2]}\n",
		"noise={kind: symmetric, level: .2}") {
		want = finished(t, dir, c, -float64(k))
	}
	found(t, dir, want)
	finished(t, dir, configtest.Load(t, "dataset: mnist\nloss: backward\nnoise: {kind: symmetric, level: .2}\n")[0], -9)
	_, _, err := find.Network(dir)
	expect.Says(t, err, "backward and forward, whose validation losses cannot be compared")
	expect.Fails(t, err, "", find.ErrSeveral)
}

// finished writes a run with a validation loss, and returns the file of its network.
func finished(t *testing.T, dir string, c config.Config, loss float64) string {
	t.Helper()
	run := expect.Got(store.Claim(dir, c, &store.Watch{}, store.DefaultLeaseTime))(t)
	defer run.Close()
	selected := metrics.Epoch{Epoch: 1, ValLoss: loss}
	last := metrics.Epoch{Epoch: c.Epochs}
	r := store.Result{Schema: 1, ID: run.ID, State: store.Done, Config: c, Selected: selected, Last: last}
	expect.OK(t, run.WriteResult(r))
	return filepath.Join(dir, run.ID, store.CheckpointsDir, train.BestFile)
}
