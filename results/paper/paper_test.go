package paper_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/results/paper"
)

func TestTable2IsWhole(t *testing.T) {
	cells := paper.Table2()
	if len(cells) != 240 {
		t.Fatalf("%d cells, want 240", len(cells))
	}
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
	if len(columns) != 24 {
		t.Errorf("%d columns, want 24", len(columns))
	}
	for column, n := range columns {
		if n != 10 {
			t.Errorf("%s has %d losses, want 10", column, n)
		}
	}
	if _, ok := paper.Lookup("mnist", "mlp", "symmetric", .3, "forward"); ok {
		t.Error("found a noise level that the paper has not")
	}
}

func TestLossesInOrder(t *testing.T) {
	want := []string{"cross-entropy", "unhinged", "sigmoid", "savage", "bootstrap-soft", "bootstrap-hard",
		"backward", "backward-estimated", "forward", "forward-estimated"}
	if got := paper.Losses(); !slices.Equal(got, want) {
		t.Errorf("losses %q, want %q", got, want)
	}
}

func ExampleLookup() {
	cell, ok := paper.Lookup("mnist", "mlp", "asymmetric", 0.6, "forward-estimated")
	fmt.Printf("%v %.1f ± %.1f over %d runs\n", ok, cell.Accuracy, cell.Std, cell.Runs)
	// Output:
	// true 64.9 ± 4.4 over 5 runs
}
