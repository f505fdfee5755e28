package html

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/report"
)

// timing is what the runs of a row took.
type timing struct {
	Loss            string
	Runs            int
	Run, Epoch, Sum string
	Total           bool
}

func timings(b *report.Block) []timing {
	var list []timing
	var sum float64
	all := 0
	for i, row := range b.Rows {
		var runs, epochs []float64
		for _, c := range b.Cells[i] {
			if c == nil {
				continue
			}
			for _, r := range c.Runs {
				runs = append(runs, r.Seconds())
				if n := r.Epoch(); n > 0 {
					epochs = append(epochs, r.Seconds()/float64(n))
				}
			}
		}
		if len(runs) == 0 {
			continue
		}
		s := report.NewSample(runs)
		total := s.Mean * float64(s.N)
		v := timing{Loss: row.Name, Runs: s.N, Run: duration(s.Mean), Sum: hours(total)}
		if len(epochs) > 0 {
			v.Epoch = fmt.Sprintf("%.2f s", report.NewSample(epochs).Mean)
		}
		list = append(list, v)
		sum, all = sum+total, all+s.N
	}
	if all == 0 {
		return nil
	}
	return append(list, timing{Loss: "all", Runs: all, Run: duration(sum / float64(all)), Sum: hours(sum), Total: true})
}

func duration(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 5400:
		return fmt.Sprintf("%.1f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
