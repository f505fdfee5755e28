package html

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/report"
)

// times returns a table of the time that each row's runs took, or nil without runs.
func times(b *report.Block) *report.Table {
	t := &report.Table{Title: "Wall time of " + b.Dataset + ", " + b.Network(),
		Headings: report.Headings("loss", "runs>", "per run>", "per epoch>", "device-hours>")}
	var sum float64
	all := 0
	for i, row := range b.Rows {
		var seconds, perEpoch float64
		runs, timed := 0, 0
		for _, c := range b.Cells[i] {
			if c == nil {
				continue
			}
			for _, r := range c.Runs {
				seconds += r.Seconds()
				runs++
				if n := r.Epoch(); n > 0 {
					perEpoch += r.Seconds() / float64(n)
					timed++
				}
			}
		}
		if runs == 0 {
			continue
		}
		epoch := ""
		if timed > 0 {
			epoch = fmt.Sprintf("%.2f s", perEpoch/float64(timed))
		}
		t.Add(row.Name, fmt.Sprint(runs), duration(seconds/float64(runs)), epoch, hours(seconds))
		sum, all = sum+seconds, all+runs
	}
	if all == 0 {
		return nil
	}
	t.Add("all", fmt.Sprint(all), duration(sum/float64(all)), "", hours(sum))
	return t
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
