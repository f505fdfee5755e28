package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// Without an answer from the cluster, the status still shows the state of the folders.
func TestStatusWithoutCluster(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "jobs.json"), []byte(`{"schema": 1, "jobs": [
		{"cluster": "slurm", "id": "7", "what": "rest", "tasks": "0-9"}, {"cluster": "kubernetes", "id": "losscorr-x", "what": "all"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := cluster.WriteStatus(context.Background(), &out, dir, schedulers()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"submitted jobs 7; their state is unknown: not available on this machine: squeue " +
		"is not on the PATH", "submitted jobs losscorr-x; their state is unknown: not available on this machine: " +
		"kubectl is not on the PATH"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
