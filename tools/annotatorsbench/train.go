package annotatorsbench

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/tools/measured"
)

// heldOut is the share of the examples that networks are tested on, by true labels.
const heldOut = .2

// trainings are the runs of which the accuracies are compared: by the labels they are given, and
// the losses of the runs; "" are those that a training on an audit has by itself.
var trainings = []struct {
	labels string
	losses map[string]string // loss and what it stands for
}{
	{"", map[string]string{"cross-entropy": "majority", "soft": "soft", "answers": "answers"}},
	{"consensus", map[string]string{"cross-entropy": "consensus"}},
	{"truth", map[string]string{"cross-entropy": "truth"}},
}

// measureTrain trains on the answers to four fifths of the examples, and tests on the true labels
// of the others.
func (b *bench) measureTrain(ctx context.Context, data crowd) error {
	for draw := range uint64(b.Seeds) {
		train, test, err := data.split(draw)
		if err != nil {
			return err
		}
		train.name = fmt.Sprintf("%s-train%d", data.name, draw)
		folder, _, err := b.audit(ctx, train)
		if err != nil {
			return err
		}
		if err := b.trainOn(ctx, data.name, train, test, folder, draw); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(b.Work, train.name)); err != nil { // the features are large
			return err
		}
	}
	return nil
}

// trainOn runs losscorr train on the audit of a training set.
func (b *bench) trainOn(ctx context.Context, name string, train, test crowd, folder *audit.Folder, draw uint64) error {
	dir := filepath.Join(b.Work, train.name)
	consensus, err := folder.Consensus()
	if err != nil {
		return err
	}
	labels := map[string][]string{"consensus": nil, "truth": train.names(train.truth), "test": test.names(test.truth)}
	for _, l := range consensus {
		labels["consensus"] = append(labels["consensus"], l.Label)
	}
	for file, list := range labels {
		if err := os.WriteFile(filepath.Join(dir, file+".txt"), []byte(strings.Join(list, "\n")+"\n"), 0o666); err != nil {
			return err
		}
	}
	tested := filepath.Join(dir, "test.npy")
	if err := npy.WriteFloat32(tested, test.features, test.width); err != nil {
		return err
	}
	for _, t := range trainings {
		out := filepath.Join(dir, "runs"+t.labels)
		args := []string{
			"train", filepath.Join(dir, "X.npy"), "--test", tested, "--test-labels", filepath.Join(dir, "test.txt"), "--out", out,
			"--seeds", strconv.FormatUint(draw+1, 10), "--quiet",
		}
		if t.labels == "" {
			args = append(args, "--audit", folder.Dir())
		} else {
			args = append(args, "--labels", filepath.Join(dir, t.labels+".txt"), "loss=cross-entropy")
		}
		if _, err := measured.Run(ctx, b.Program, args...); err != nil {
			return err
		}
		found, err := accuracies(out)
		if err != nil {
			return err
		}
		for _, loss := range slices.Sorted(maps.Keys(t.losses)) {
			what := t.losses[loss]
			accuracy, there := found[loss]
			if !there {
				return fmt.Errorf("%s: no run with loss %s", out, loss)
			}
			b.trained = append(b.trained, measured.Record(name, what, draw, len(train.truth), len(test.truth), fmt.Sprintf("%.3f", accuracy)))
			fmt.Fprintf(b.out, "%-12s draw %d, trained on %-10s %.2f %% of %d true labels\n", name, draw, what, accuracy, len(test.truth))
		}
	}
	return nil
}

// accuracies returns the accuracy after the last epoch by the loss of the runs of a folder.
func accuracies(out string) (map[string]float64, error) {
	files, err := filepath.Glob(filepath.Join(out, "*", "result.json"))
	if err != nil {
		return nil, err
	}
	found := map[string]float64{}
	for _, file := range files {
		r, err := store.At(out, filepath.Base(filepath.Dir(file))).Result()
		if err != nil {
			return nil, err
		}
		found[r.Config.Loss] = r.Last.TestAccuracy
	}
	return found, nil
}

// split draws the examples that are held out.
func (c crowd) split(draw uint64) (train, test crowd, err error) {
	order := rand.New(rand.NewPCG(draw, 3)).Perm(len(c.truth))
	held := int(heldOut * float64(len(order)))
	if test, err = c.part(order[:held]); err != nil {
		return train, test, err
	}
	train, err = c.part(order[held:])
	return train, test, err
}

// part returns some of the examples, in the order of the data.
func (c crowd) part(rows []int) (crowd, error) {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	p := crowd{name: c.name, width: c.width}
	var list []annotators.Answer
	for at, i := range rows {
		p.truth = append(p.truth, c.truth[i])
		p.features = append(p.features, c.features[i*c.width:(i+1)*c.width]...)
		for _, x := range c.answers.Of(i) {
			list = append(list, annotators.Answer{Task: int32(at), Worker: x.Worker, Label: x.Label})
		}
	}
	var err error
	p.answers, err = annotators.New(len(rows), c.answers.Workers, c.answers.Classes, list)
	return p, err
}

func (c crowd) names(labels []int) (out []string) {
	for _, y := range labels {
		out = append(out, c.answers.Classes[y])
	}
	return out
}
