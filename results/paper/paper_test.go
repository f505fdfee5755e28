package paper_test

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/results/paper"
)

func TestTable2IsWhole(t *testing.T) {
	cells := paper.Table2()
	expect.Same(t, 240, len(cells), "cells")
	columns := make(map[string]int)
	for _, c := range cells {
		if c.Accuracy <= 0 || c.Accuracy > 100 || c.Runs < 1 || (c.Noise == "none") != (c.Level == 0) {
			t.Errorf("cell %+v", c)
		}
		columns[fmt.Sprint(c.Dataset, c.Model, c.Noise, c.Level)]++
		got, ok := paper.Lookup(c.Dataset, c.Model, c.Noise, c.Level, c.Loss)
		if !ok || got != c {
			t.Errorf("lookup of %+v gives %+v, %v", c, got, ok)
		}
	}
	expect.Same(t, 24, len(columns), "columns")
	for column, n := range columns {
		expect.Same(t, 10, n, "losses of", column)
	}
	if _, ok := paper.Lookup("mnist", "mlp", "symmetric", .3, "forward"); ok {
		t.Error("found a noise level that the paper has not")
	}
}

func TestLossesInOrder(t *testing.T) {
	want := []string{"cross-entropy", "unhinged", "sigmoid", "savage", "bootstrap-soft", "bootstrap-hard",
		"backward", "backward-estimated", "forward", "forward-estimated"}
	expect.Same(t, want, paper.Losses(), "losses")
}

func TestBlocks(t *testing.T) {
	var names []string
	for _, b := range paper.Blocks() {
		names = append(names, b.Name())
		expect.Same(t, 40, len(b.Cells()), "cells of", b.Name())
	}
	want := []string{"mnist", "imdb-embedding", "imdb-lstm", "cifar10-resnet14", "cifar10-resnet32", "cifar100-resnet44"}
	expect.Same(t, want, names, "blocks")
}

func TestTable3IsWhole(t *testing.T) {
	rows := paper.Table3()
	expect.Same(t, 8, len(rows), "rows")
	for k, r := range rows {
		if r.Row != k+1 || r.Accuracy < 68 || r.Accuracy > 81 || r.Elsewhere != (r.Row <= 3) || r.Bold != (r.Row == 8) {
			t.Errorf("row %+v", r)
		}
	}
	expect.Same(t, []any{"row 6", "50k", 80.38}, []any{rows[7].Init, rows[7].Training, rows[7].Accuracy}, "row 8")
}

func ExampleLookup() {
	cell, ok := paper.Lookup("mnist", "mlp", "asymmetric", 0.6, "forward-estimated")
	fmt.Printf("%v %.1f ± %.1f over %d runs\n", ok, cell.Accuracy, cell.Std, cell.Runs)
	// Output:
	// true 64.9 ± 4.4 over 5 runs
}
