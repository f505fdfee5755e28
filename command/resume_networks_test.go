package command

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Whatever the network, the optimizer and the loss, runs that are killed with kill -9 at
// random moments come to the same results, metrics and weights, bit for bit, as
// those that nothing disturbed. The large networks, whose checkpoints take long to
// write, take part in `make soak` only.
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
		{"trainers", "loss: [elr, mixup, reweight, co-teaching, co-teaching-estimated]", []string{"dataset: mnist", "epochs: 6", noise}, false},
		{"lstm", optimizers, []string{"dataset: imdb", "batch_size: 16", "epochs: 3", "embedding_dim: 8", "examples: {words: 4, test: 10}", noise}, true},
		{"resnet14", optimizers, []string{"dataset: cifar10", "batch_size: 8", "epochs: 4", "steps_per_epoch: 1", "examples: {test: 10}", "loss: unhinged", noise}, false},
		{"exported", optimizers, []string{"dataset: mnist", "epochs: 6", "batch_size: 32", noise}, false},
		{"resnet44", "loss: [forward-estimated]", []string{"dataset: cifar100", "batch_size: 8", "epochs: 3", "steps_per_epoch: 1", "examples: {train: 60, test: 10}", noise}, true},
		{"resnet50", "loss: [forward]", []string{"dataset: clothing1m", "batch_size: 2", "epochs: 3", "steps_per_epoch: 1", "examples: {train: 4, test: 2}"}, true},
	} {
		t.Run(network.name, func(t *testing.T) {
			if network.large && !soak {
				t.Skip("make soak tests it")
			}
			model := network.name
			switch model {
			case "trainers": // losses that have more than logits and labels
				model = "mlp"
			case "exported":
				model = exportedNetwork(t, "mnist.pt2", work)
			}
			lines := append(network.settings, "model: "+model, "optimizer: {milestones: [2]}", "grid: {"+network.grid+"}")
			file := filepath.Join(work, network.name+".yaml")
			write(t, file, []byte(strings.Join(lines, "\n")+"\n"))
			train := func(out string) *process {
				return start(t, work, vars, "train", file, "--quiet", "--checkpoint-every", "0", "--out", filepath.Join(network.name, out))
			}
			begun := time.Now()
			train("undisturbed").ends(t, 0)
			whole := time.Since(begun)
			for range 3 {
				p := train("killed")
				time.Sleep(time.Duration(float64(whole) * (.1 + .5*rand.Float64())))
				send(t, p, os.Kill)
				_ = p.Wait() // killed, or done before
			}
			train("killed").ends(t, 0)
			results, err := filepath.Glob(filepath.Join(work, network.name, "undisturbed", "*", "result.json"))
			if err != nil || len(results) == 0 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			for _, path := range results {
				run := filepath.Dir(path)
				want, got := outcomeOf(t, run), outcomeOf(t, filepath.Join(work, network.name, "killed", filepath.Base(run)))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("run %s after kill -9 (-undisturbed +got):\n%s", filepath.Base(run), diff)
				}
			}
		})
	}
}
