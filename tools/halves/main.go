// Command halves measures MNIST networks on two halves of the test set, so that what was
// chosen on one is reported on the other: images of even rows, counted from 0, are for
// choices, images of odd rows for figures. Both halves have as many images of either of the
// two sources of MNIST's digits.
//
//	go run ./tools/halves runs/halves > results/appendix/halves.csv
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/dataset/published"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/pipeline"
	"github.com/losscorr/losscorr/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/training"
)

func main() { os.Exit(tool.Main("halves", os.Stdout, run)) }

// run writes a line for each finished run below the folders.
func run(ctx context.Context, roots []string, out io.Writer) error {
	if len(roots) == 0 {
		return errors.New("name folders of finished MNIST runs")
	}
	data, err := published.OpenContext(ctx, "mnist", dataset.Options{Root: "data", Offline: true})
	if err != nil {
		return err
	}
	w := csv.NewWriter(out)
	header := []string{"preset", "optimizer", "rate", "clip", "estimator", "trusted", "noise", "level", "loss", "seed", "even", "odd", "revision", "cpu"}
	if err := w.Write(header); err != nil {
		return err
	}
	lines, err := measured(ctx, roots, data)
	if err != nil {
		return err
	}
	slices.SortFunc(lines, slices.Compare)
	return w.WriteAll(lines)
}

// measured returns the lines of all runs, in no order.
func measured(ctx context.Context, roots []string, data *dataset.Dataset) (lines [][]string, err error) {
	for _, root := range roots {
		results, err := filepath.Glob(filepath.Join(root, "*", "result.json"))
		if err != nil {
			return nil, err
		}
		if len(results) == 0 {
			return nil, fmt.Errorf("%s: no finished runs there: make halves does them", root)
		}
		for _, result := range results {
			line, err := lineOf(ctx, store.AtPath(filepath.Dir(result)), data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Dir(result), err)
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func lineOf(ctx context.Context, folder *store.Folder, data *dataset.Dataset) ([]string, error) {
	result, err := folder.Result()
	if err != nil {
		return nil, err
	}
	environment, err := folder.Environment()
	if err != nil {
		return nil, err
	}
	network, err := pipeline.OpenNetwork(folder.Path(store.CheckpointsDir, training.BestFile))
	if err != nil {
		return nil, err
	}
	if network.Config.Dataset != "mnist" {
		return nil, fmt.Errorf("a run on %s", network.Config.Dataset)
	}
	logits, err := network.Predict(ctx, data.Test, torch.CPU, nil)
	if err != nil {
		return nil, err
	}
	even, odd := accuracies(logits, data.Test.Labels, len(data.Classes))
	if whole := (even + odd) / 2; fmt.Sprintf("%.2f", whole) != fmt.Sprintf("%.2f", result.Selected.TestAccuracy) {
		return nil, fmt.Errorf("its weights reach %.2f %% on the test set, its result says %.2f %%", whole, result.Selected.TestAccuracy)
	}
	c := network.Config
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return []string{
		c.Preset, c.Optimizer.Name, text(c.Optimizer.LearningRate), text(c.Clip), c.Estimator.Name, c.Trusted,
		c.Noise.Kind, text(c.Noise.Level), c.Loss, strconv.FormatUint(c.Seed, 10),
		fmt.Sprintf("%.2f", even), fmt.Sprintf("%.2f", odd), result.Revision[:min(12, len(result.Revision))], environment.CPU.Model,
	}, nil
}

// accuracies are those of even and of odd rows, in %.
func accuracies(logits []float32, labels []int, classes int) (even, odd float64) {
	var right [2]int
	for i, label := range labels {
		row := logits[i*classes : (i+1)*classes]
		if best := slices.Index(row, slices.Max(row)); best == label {
			right[i%2]++
		}
	}
	half := float64(len(labels)) / 200
	return float64(right[0]) / half, float64(right[1]) / half
}
