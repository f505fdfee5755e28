package report

import (
	"fmt"
)

type timeView struct {
	Loss            string
	Runs            int
	Run, Epoch, Sum string
	Total           bool
}

// times adds up what the runs of each row took.
func times(t *Table, records []*Record) []timeView {
	var views []timeView
	var sum float64
	var all int
	for _, row := range t.Rows {
		var runs, epochs []float64
		for _, r := range records {
			if t.variants[variant(r.Config)] != row.Name {
				continue
			}
			runs = append(runs, r.Result.Seconds)
			if n := r.Result.Last.Epoch; n > 0 {
				epochs = append(epochs, r.Result.Seconds/float64(n))
			}
		}
		if len(runs) == 0 {
			continue
		}
		s := NewSample(runs)
		total := s.Mean * float64(s.N)
		v := timeView{Loss: row.Name, Runs: s.N, Run: duration(s.Mean), Sum: hours(total)}
		if len(epochs) > 0 {
			v.Epoch = fmt.Sprintf("%.2f s", NewSample(epochs).Mean)
		}
		views = append(views, v)
		sum, all = sum+total, all+s.N
	}
	if all == 0 {
		return nil
	}
	return append(views, timeView{Loss: "all", Runs: all, Run: duration(sum / float64(all)), Sum: hours(sum), Total: true})
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
