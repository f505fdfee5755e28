package command

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever the network, the optimizer and the loss, runs that are killed with kill -9 or stopped
// after a random number of batches resume and come to the same results, metrics and
// weights, bit for bit, as those that nothing disturbed. The large networks, whose
// checkpoints take long to write, take part in `make -f .ci/checks.mk soak` only.
func TestEveryNetworkResumes(t *testing.T) {
	work := t.TempDir()
	vars := realVars(t, work)
	writeDigits(t, filepath.Join(work, "data", "mnist"), 200, 50)
	writeReviews(t, filepath.Join(work, "data", "imdb", "aclImdb_v1.tar.gz"), 40)
	writeCIFAR(t, filepath.Join(work, "data", "cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	writeCIFAR(t, filepath.Join(work, "data", "cifar100", "cifar-100-binary.tar.gz"), 100, 20)
	writeClothes(t, filepath.Join(work, "data", "clothing1m"))

	soak := os.Getenv("LOSSCORR_SOAK") != ""
	const optimizers = "optimizer: [{name: adagrad, momentum: 0}, {name: sgd, momentum: .9}, {name: adam, momentum: 0}]"
	const noise = "noise: {kind: asymmetric, level: .2}"
	for _, network := range []struct {
		name, grid string
		settings   []string
		large      bool
	}{
		{"mlp", optimizers, []string{"dataset: mnist", "epochs: 8", noise}, false},
		{"embedding", "dropout_units: [elements, channels, words], " + optimizers, []string{"dataset: imdb", "batch_size: 16", "epochs: 4", noise}, false},
		{"trainers", "loss: [elr, mixup, co-teaching]", []string{"dataset: mnist", "epochs: 6", noise}, false},
		{"trainers with T", "loss: [reweight, gold, volume-minimization]", []string{"dataset: mnist", "epochs: 6", "trusted: 2", noise}, false},
		{"lstm", optimizers, []string{"dataset: imdb", "batch_size: 16", "epochs: 3", "embedding_dim: 8", "examples: {words: 4, test: 10}", noise}, true},
		{"resnet14", optimizers, []string{"dataset: cifar10", "batch_size: 8", "epochs: 4", "steps_per_epoch: 2", "examples: {test: 10}", "loss: unhinged", noise}, false},
		{"exported", optimizers, []string{"dataset: mnist", "epochs: 6", "batch_size: 32", noise}, false},
		{"resnet44", "loss: [forward-estimated]", []string{"dataset: cifar100", "batch_size: 8", "epochs: 3", "steps_per_epoch: 1", "examples: {train: 60, test: 10}", noise}, true},
		{"resnet50", "loss: [forward]", []string{"dataset: clothing1m", "batch_size: 2", "epochs: 3", "steps_per_epoch: 1", "examples: {train: 4, test: 2}"}, true},
	} {
		t.Run(network.name, func(t *testing.T) {
			if network.large && !soak {
				t.Skip("make -f .ci/checks.mk soak tests it")
			}
			t.Parallel()
			model := network.name
			switch model {
			case "trainers", "trainers with T": // losses that have more than logits and labels
				model = "mlp"
			case "exported":
				model = exportedNetwork(t, "mnist.pt2", work)
			}
			lines := append(network.settings, "model: "+model, "optimizer: {milestones: [2]}", "grid: {"+network.grid+"}")
			file := filepath.Join(work, network.name+".yaml")
			write(t, file, []byte(strings.Join(lines, "\n")+"\n"))
			rng := seeded(t)
			train := func(out, interrupt string) *process {
				vars := maps.Clone(vars)
				vars[interruptVar] = interrupt
				return start(t, work, vars, "train", file, "--quiet", "--workers", "1", "--checkpoint-every", "0", "--out", filepath.Join(network.name, out))
			}
			train("undisturbed", "").ends(t, 0)
			steps, total, runs := batchesOf(t, filepath.Join(work, network.name, "undisturbed"))
			// Each run is killed, from its second epoch on, which leaves the checkpoint of
			// the epoch before, and stopped, which leaves one of that very batch.
			// Where there are many runs, the first three are disturbed.
			left := 0 // batches of the run before
			disturbed := min(runs, 3)
			for range disturbed {
				kill := steps + 1 + rng.IntN(total-steps-1)
				at := (kill - 1) / steps * steps
				stop := 1 + rng.IntN(total-at-1)
				for _, interrupt := range []string{fmt.Sprintf("%d:KILL", left+kill), fmt.Sprintf("%d:TERM", stop)} {
					p := train("killed", interrupt)
					_ = p.Wait() // the state tells
					if p.ProcessState.Success() {
						t.Fatalf("not disturbed: %s\n%s", interrupt, p.err.String())
					}
				}
				left = total - at - stop
			}
			train("killed", "").ends(t, 0)
			results, err := filepath.Glob(filepath.Join(work, network.name, "undisturbed", "*", "result.json"))
			if err != nil || len(results) == 0 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			for _, path := range results {
				run := filepath.Dir(path)
				want, got := outcomeOf(t, run), outcomeOf(t, filepath.Join(work, network.name, "killed", filepath.Base(run)))
				log := string(read(t, filepath.Join(work, network.name, "killed", filepath.Base(run), "log.txt")))
				if n := strings.Count(log, "test: begins with batch "); n == 3 && strings.Contains(log, "resumes after epoch ") {
					disturbed--
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("run %s after kill -9 (-undisturbed +got):\n%s", filepath.Base(run), diff)
				}
			}
			if disturbed != 0 {
				t.Errorf("%d runs that were killed and stopped do not say that they resumed", disturbed)
			}
		})
	}
}

// batchesOf reads from the logs of finished runs how many batches an epoch and each run
// has, and counts the runs.
func batchesOf(t *testing.T, root string) (epoch, total, runs int) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(root, "*", "log.txt"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, path := range logs {
		log := string(read(t, path))
		_, first, _ := strings.Cut(log, "test: begins with batch 1 of ")
		_, last, _ := strings.Cut(log, "test: ")
		_, last, _ = strings.Cut(last, "test: ")
		var own int
		if _, err := fmt.Sscan(first, &epoch); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(last, &own); err != nil || total > 0 && own != total {
			t.Fatalf("%d batches after %d, %v", own, total, err)
		}
		total = own
	}
	return epoch, total, len(logs)
}
