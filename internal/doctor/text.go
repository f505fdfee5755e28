package doctor

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes a table of the checks, a table of the times, and totals.
func (r Report) WriteText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "group\tcheck\tverdict\tdeviation\tallowed\tseconds\t\n")
	for _, c := range r.Results {
		deviation, allowed := "", ""
		if c.Deviation != 0 || c.Allowed != 0 {
			deviation, allowed = fmt.Sprintf("%.1e", c.Deviation), fmt.Sprintf("%.0e", c.Allowed)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f\t%s\n", c.Group, c.Name, c.Verdict, deviation, allowed, c.Seconds, c.Detail)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(r.Steps.Steps) > 0 {
		fmt.Fprintf(out, "\ntraining steps beside PyTorch: %s\n", r.Steps.PyTorch+r.Steps.NoPyTorch)
	}
	for _, s := range r.Steps.Steps {
		fmt.Fprintln(out, s)
	}
	_, err := fmt.Fprintf(out, "\n%s, libtorch %s: %d passed, %d failed in %.0f s\n", r.Device,
		r.Machine["version"], r.Passed, r.Failed, r.Seconds)
	return err
}
