package command

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/bench"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/doctor"
	"github.com/losscorr/losscorr/torch"
)

// Proof is the check of a device, beside the CPU in float64.
type Proof struct {
	Device   string            `json:"device"`
	Machine  map[string]string `json:"machine"` // libtorch, GPU
	Passed   int               `json:"passed"`
	Failed   int               `json:"failed"`
	Skipped  int               `json:"skipped"`
	Seconds  float64           `json:"seconds"`
	Results  []doctor.Result   `json:"results"`
	Steps    bench.Report      `json:"steps"`    // the time of one training step of each network
	Finished string            `json:"finished"` // RFC 3339, UTC
}

// prove makes every check of a device, and times training steps unless --no-times is given.
func (p topCommands) prove(c *cli.Context, device torch.Device) (*Proof, error) {
	facts, err := checkDevice(c.String("device"))
	if err != nil {
		return nil, err
	}
	proof := Proof{Device: device.String(), Machine: facts}
	begun := time.Now()
	defer app.Stoppable(c.Context, app.OtherStops)()
	report, err := doctor.Run(c.Context, doctor.Options{
		Device:   device,
		OnResult: func(r doctor.Result) { fmt.Fprintf(p.Stderr, "%s: %s: %s\n", r.Group, r.Name, r.Verdict) },
	})
	if err != nil {
		return nil, err
	}
	if !c.Bool("no-times") {
		if proof.Steps, err = p.timeSteps(c, device, &report); err != nil {
			return nil, err
		}
	}
	proof.Results, proof.Passed, proof.Failed, proof.Skipped = report.Results, report.Passed, report.Failed, report.Skipped
	proof.Seconds, proof.Finished = time.Since(begun).Seconds(), time.Now().UTC().Format(time.RFC3339)
	return &proof, nil
}

// timeSteps times the training steps. One that cannot be timed does not end the proof: what it
// says of itself is a failure in the report.
func (p topCommands) timeSteps(c *cli.Context, device torch.Device, report *doctor.Report) (bench.Report, error) {
	measured, failed := bench.Steps(c.Context, bench.Options{Device: device, Python: c.String("python"),
		Data: "data/mnist", Rounds: .2}, func(s bench.Step) {
		fmt.Fprintf(p.Stderr, "steps: %s\n", s.Title)
	})
	if err := c.Context.Err(); err != nil {
		return measured, err
	}
	if failed != nil {
		report.Add(doctor.Result{Group: "steps", Name: "time of a training step", Verdict: doctor.Failed,
			Detail: failed.Error()})
	}
	return measured, nil
}

func (f *Proof) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "group\tcheck\tverdict\tdeviation\tallowed\tseconds\t\n")
	for _, r := range f.Results {
		deviation, allowed := "", ""
		if r.Deviation != 0 || r.Allowed != 0 {
			deviation, allowed = fmt.Sprintf("%.1e", r.Deviation), fmt.Sprintf("%.0e", r.Allowed)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.2f\t%s\n", r.Group, r.Name, r.Verdict, deviation, allowed, r.Seconds, r.Detail)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(f.Steps.Steps) > 0 {
		fmt.Fprintf(w, "\none training step\tlosscorr\tPyTorch\tratio\t\n")
	}
	for _, s := range f.Steps.Steps {
		theirs, ratio := "", ""
		if s.PyTorch > 0 {
			theirs, ratio = milliseconds(s.PyTorch), fmt.Sprintf("%.2f", s.Ratio())
		}
		fmt.Fprintf(w, "%s, batch of %d\t%s\t%s\t%s\t%s\n", s.Title, s.BatchSize, milliseconds(s.Ours), theirs, ratio, s.Note)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	beside := f.Steps.PyTorch
	if f.Steps.NoPyTorch != "" {
		beside = "PyTorch was not timed: " + f.Steps.NoPyTorch
	}
	if beside != "" {
		fmt.Fprintf(out, "%s\n", beside)
	}
	_, err := fmt.Fprintf(out, "\n%s, libtorch %s: %d passed, %d failed, %d skipped in %.0f s\n", f.Device,
		f.Machine["version"], f.Passed, f.Failed, f.Skipped, f.Seconds)
	return err
}

func milliseconds(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", 1e3*seconds)
}
