package command

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/bench"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/doctor"
	"github.com/losscorr/losscorr/torch"
)

func (p Program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "report what works on this machine and how to fix the rest",
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "data", Usage: "folder of the data sets", EnvVars: app.Env("DATA")},
			&cli.StringFlag{Name: "device", Usage: "compare this device with the CPU in float64, and time training steps: " +
				"cpu, cuda or cuda:N"},
			&cli.BoolFlag{Name: "no-times", Usage: "with --device: leave out the times"},
			&cli.StringFlag{Name: "python", Usage: "with --device: Python with a torch to time beside", Value: "python3"},
		},
		Action: p.doctor,
	}
}

func (p Program) doctor(c *cli.Context) error {
	device, err := torch.ParseDevice(cmp.Or(c.String("device"), "cpu"))
	if err == nil {
		err = app.Needs(c, "device DEVICE", "no-times", "python")
	}
	if err != nil {
		return app.Misuse(c, "%v", err)
	}
	found := doctor.Examine(c.String("data"))
	if !c.Bool("json") {
		if err := found.WriteText(p.Stdout); err != nil {
			return err
		}
	}
	failed := found.Err()
	if failed == nil && c.IsSet("device") {
		found.Check, failed = p.prove(c, device)
	}
	switch {
	case c.Bool("json"):
		err = p.PrintJSON(found)
	case found.Check != nil:
		fmt.Fprintln(p.Stdout)
		err = found.Check.WriteText(p.Stdout)
	}
	return errors.Join(failed, err)
}

// prove checks a device. It returns an error if any check failed.
func (p Program) prove(c *cli.Context, device torch.Device) (*doctor.Report, error) {
	facts, err := checkDevice(c.String("device"))
	if err != nil {
		return nil, err
	}
	defer app.Stoppable(c.Context, app.OtherStops)()
	report, err := doctor.Run(c.Context, doctor.Options{
		Device: device, NoTimes: c.Bool("no-times"), Python: c.String("python"),
		OnResult: func(r doctor.Result) { fmt.Fprintf(p.Stderr, "%s: %s: %s\n", r.Group, r.Name, r.Verdict) },
		OnStep:   func(s bench.Step) { fmt.Fprintf(p.Stderr, "steps: %s\n", s.Title) },
	})
	if err != nil {
		return nil, err
	}
	report.Machine = facts
	if report.Failed > 0 {
		err = fmt.Errorf("%d of %d checks failed on %s", report.Failed, len(report.Results), report.Device)
	}
	return &report, err
}
