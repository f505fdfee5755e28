// Package paper holds the numbers of Patrini et al., "Making Deep Neural
// Networks Robust to Label Noise: a Loss Correction Approach" (CVPR 2017). Table
// 2: test accuracies of ten losses on six pairs of data set and network under
// four noises each. Table 3: eight networks on Clothing1M.
//
//	cell, ok := paper.Lookup("mnist", "mlp", "asymmetric", 0.6, "forward")
//	if ok {
//		fmt.Printf("%.1f ± %.1f over %d runs\n", cell.Accuracy, cell.Std, cell.Runs)
//	}
//	for _, loss := range paper.Losses() {
//		fmt.Println(loss) // in the order of the table's rows
//	}
package paper

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"sync"
)

//go:embed table2.csv
var table2 []byte

// Cell is one number of Table 2 with its marks.
type Cell struct {
	Dataset, Model string
	Noise          string  // none, symmetric or asymmetric
	Level          float64 // N, 0 without noise
	Loss           string

	Accuracy float64 // per cent, mean over runs
	Std      float64 // over runs with ddof 0, by the published code; 0 for a single run
	Runs     int

	Bold   bool // statistically far from the others
	Star   bool // the best is a correction by the true T
	Dagger bool // the estimated T beats T = I without injected noise
}

var cells = sync.OnceValue(func() (list []Cell) {
	for _, r := range records(table2) {
		list = append(list, Cell{
			Dataset: r[0], Model: r[1], Noise: r[2], Level: number(r[3]), Loss: r[4], Accuracy: number(r[5]),
			Std: number(r[6]), Runs: int(number(r[7])), Bold: r[8] == "1", Star: r[9] == "1", Dagger: r[10] == "1",
		})
	}
	return list
})

// Table2 returns all cells in the order of table2.csv.
func Table2() []Cell { return slices.Clone(cells()) }

// Block is a data set and a network, ten losses under four noises of Table 2.
type Block struct{ Dataset, Model string }

// Name returns what the block's experiment and make target are called: mnist,
// imdb-lstm.
func (b Block) Name() string {
	if b.Dataset == "mnist" {
		return b.Dataset
	}
	return b.Dataset + "-" + b.Model
}

// Blocks returns the six blocks of Table 2, its left half first.
func Blocks() []Block {
	return []Block{
		{"mnist", "mlp"}, {"imdb", "embedding"}, {"imdb", "lstm"},
		{"cifar10", "resnet14"}, {"cifar10", "resnet32"}, {"cifar100", "resnet44"},
	}
}

// Cells returns the block's cells.
func (b Block) Cells() []Cell {
	return slices.DeleteFunc(Table2(), func(c Cell) bool { return c.Dataset != b.Dataset || c.Model != b.Model })
}

// Losses returns the names of the losses in the order of the paper's rows.
func Losses() []string {
	var losses []string
	for _, c := range cells() {
		if !slices.Contains(losses, c.Loss) {
			losses = append(losses, c.Loss)
		}
	}
	return losses
}

// Lookup returns the cell of a data set, model, noise and loss. Levels are
// compared within 1e-9 and do not matter without noise.
func Lookup(dataset, model, noise string, level float64, loss string) (Cell, bool) {
	for _, c := range cells() {
		if c.Dataset == dataset && c.Model == model && c.Noise == noise && c.Loss == loss &&
			(noise == "none" || math.Abs(c.Level-level) < 1e-9) {
			return c, true
		}
	}
	return Cell{}, false
}

// records returns the lines of a table below its header. The tables are part of the program, and tests read all of
// them, so that a fault panics.
func records(table []byte) [][]string {
	all, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		panic(err)
	}
	return all[1:]
}

// number returns the number in a cell, 0 in an empty one.
func number(text string) float64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return v
}
