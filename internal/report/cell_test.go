package report

import (
	"fmt"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// Files are compared by content: the same T in two places makes one row and one column, and a
// T that was changed between two runs makes two.
func TestCellsKnowFilesByContent(t *testing.T) {
	run := func(seed uint64, path, sum string) *Run {
		r := reporttest.Result("forward", "matrix", 0, seed, 90, 90)
		r.Config.Noise.File, r.Config.Transition = path, path
		out := FromResults(r)[0]
		if sum != "" {
			out.Environment.Inputs = map[string]string{"noise.file": sum, "transition": sum}
		}
		return out
	}
	const one, two = "5f116e0a4b62", "14d72eb09d1e"
	for name, tt := range map[string]struct {
		runs []*Run
		want []string
	}{
		"one content at two places": {
			[]*Run{run(1, "/b/T.csv", one), run(2, "/a/T.csv", one)},
			[]string{"matrix /a/T.csv, forward (T from /a/T.csv) [1 2]"},
		},
		"two contents at one place": {
			[]*Run{run(1, "/a/T.csv", one), run(2, "/a/T.csv", two)},
			[]string{
				"matrix /a/T.csv (14d72eb0), forward (T from /a/T.csv (14d72eb0)) [2]",
				"matrix /a/T.csv (5f116e0a), forward (T from /a/T.csv (5f116e0a)) [1]",
			},
		},
		"no content known": {
			[]*Run{run(1, "/a/T.csv", ""), run(2, "/b/T.csv", "")},
			[]string{"matrix /a/T.csv, forward (T from /a/T.csv) [1]", "matrix /b/T.csv, forward (T from /b/T.csv) [2]"},
		},
	} {
		block := blocksOf(tt.runs)[0]
		var got []string
		for j, column := range block.Columns {
			for i, row := range block.Rows {
				if c := block.Cells[i][j]; c != nil {
					got = append(got, fmt.Sprint(column, ", ", row.Name, " ", c.Seeds))
				}
			}
		}
		expect.Same(t, tt.want, got, name)
	}
}
