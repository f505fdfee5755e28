package report_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report"
)

// claimed returns the findings for a claim by block, on the paper's table and on ours.
func claimed(s *report.Table, claim string) map[string][2]string {
	found := map[string][2]string{}
	on := false
	for _, row := range s.Rows {
		if text := row[0].Text; text != "" {
			on = strings.Contains(text, claim)
		}
		if on {
			found[row[1].Text] = [2]string{row[2].Text, row[3].Text}
		}
	}
	return found
}

// The expected figures are differences of numbers in the paper's Table 2, computed by hand.
func TestClaims(t *testing.T) {
	// kept reads the kept block again, so that it can be changed.
	kept := func() []*report.Block {
		file, err := os.Open("../../results/mnist.csv")
		expect.OK(t, err)
		defer file.Close()
		cells, err := report.ReadCells(file)
		expect.OK(t, err)
		return report.Blocks(cells)
	}
	blocks := kept()
	table := report.Claims(blocks)
	for claim, want := range map[string]map[string]string{
		"without noise all losses": {"mnist": "holds: 0.0"},
		// With 5 runs each: 97.3 ± .0 and 96.3 ± .1; 85.3 ± .2 and ± .3; 85.0 ± .2 and 84.3 ± .9, ddof 0,
		// t = 1.0 / (.1 / 2), and .7 / sqrt((.04 + .81) / 4) = 1.52 at 4.4 degrees.
		"forward and backward with": {
			"mnist":          "does not: forward +1.0 (p < .001) to backward",
			"imdb-embedding": "holds: forward +0.0 (p = 1) to backward",
			"imdb-lstm":      "holds: forward +0.7 (p = .197) to backward",
		},
		"neither differs": {"mnist": "does not: forward +0.4 (p = .001), backward -0.6 (p < .001) to cross-entropy"},
		"is unbeaten": {
			"cifar10-resnet14": "holds: +1.3 to bootstrap-soft", "cifar10-resnet32": "does not: -0.2 to forward-estimated",
		},
		"forward beats backward":    {"mnist": "holds: +4.3", "imdb-embedding": "does not: -1.2"},
		"T-hat costs 0 to 27":       {"mnist": "does not: up to 29.0"}, // (97.3 - 64.9 + 93.0 - 67.4) / 2
		"beats every loss without":  {"mnist": "does not: backward-estimated -4.0 to sigmoid"},
		"stays within a few":        {"mnist": "holds: at most 0.6"}, // 97.9 - 97.3
		"noise costs cross-entropy": {"mnist": "holds: 44.9 points", "imdb-lstm": "does not: 16.4 points"},
	} {
		got := claimed(table, claim)
		for block, figures := range want {
			expect.Same(t, figures, got[block][0], claim+", by the paper's table of "+block)
		}
		for block, says := range got {
			expect.Same(t, block == "mnist", says[1] != "not run completely", claim+", our runs of "+block)
		}
	}
	for claim, n := range map[string]int{
		"† on IMDB": 2, "neither differs": 3, "is unbeaten": 3, "forward beats backward": 6,
	} {
		if got := claimed(table, claim); len(got) != n {
			t.Errorf("%s is checked on %v, want %d blocks", claim, got, n)
		}
	}
	// 29.0, 6.5, 0.9, 9.1, 8.8 and 35.4 points at high noise: the median is 8.95
	expect.Says(t, strings.Join(table.Notes, "\n"), "median of 10 points: 8.9 over 6")

	for claim, test := range map[string]struct {
		change func(*report.Block)
		want   string
	}{
		"neither differs": {func(block *report.Block) { // single runs cannot be tested for chance
			for _, cell := range block.Filled() {
				cell.Selected.N = 1
			}
		}, "needs more than one seed"},
		"forward beats": {func(block *report.Block) { // other settings of a loss do not replace it
			other := kept()[0]
			i := slices.IndexFunc(other.Rows, func(r report.Row) bool { return r.Name == "forward" })
			other.Rows[i].Name = "forward (clip 0.1)"
			for _, cell := range other.Filled() {
				cell.Selected.Mean = 1
			}
			block.Rows, block.Cells = append(block.Rows, other.Rows[i]), append(block.Cells, other.Cells[i])
		}, claimed(table, "forward beats")["mnist"][1]},
		"T-hat costs": {func(block *report.Block) { // an incomplete block is not checked
			block.Rows, block.Cells = slices.Delete(block.Rows, 3, 4), slices.Delete(block.Cells, 3, 4)
		}, "not run completely"},
	} {
		changed := kept()[:1]
		test.change(changed[0])
		expect.Same(t, test.want, claimed(report.Claims(changed), claim)["mnist"][1], claim)
	}
}
