package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/run"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// Program is the command line and the parts that do its work.
type Program struct{ app.Program }

// Main is the losscorr command. It returns the exit code.
func Main(args []string) int { return Default().Main(args) }

// Main is the losscorr command with p's parts.
func (p Program) Main(args []string) int {
	p.Program = p.Complete()
	return p.Run(p.line(), args)
}

// line returns the command line with all commands, in the order of the help.
func (p Program) line() *cli.App {
	line := p.App("losscorr", "train deep networks through label noise")
	line.EnableBashCompletion = true
	line.Action = func(c *cli.Context) error { return cli.ShowAppHelp(c) }
	line.Commands = []*cli.Command{
		p.demoCommand(), p.trainCommand(), p.auditCommand(), p.checkCommand(), p.reviewCommand(), p.exportCommand(),
		p.predictCommand(), p.noisifyCommand(), p.simulateCommand(),
		p.gridCommand(), p.reportCommand(), p.configCommand(),
		p.doctorCommand(), p.setupCommand(), p.encodersCommand(), p.completionCommand(), p.versionCommand(),
	}
	return line
}

func (p Program) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "licences", Aliases: []string{"licenses"},
				Usage: "print the licences of the program and of all code in it"},
		},
		Action: func(c *cli.Context) error {
			if c.Bool("licences") {
				_, err := fmt.Fprintf(p.Stdout, "%s\n%s", losscorr.Licence, losscorr.Notices)
				return err
			}
			e := store.NewEnvironment(losscorr.Version, nil)
			if c.Bool("json") {
				return p.PrintJSON(map[string]any{
					"schema": 1, "program": e.Program, "go": e.Go, "os": e.OS, "arch": e.Arch,
					"revision": e.Revision, "modified": e.Modified,
				})
			}
			line := fmt.Sprintf("losscorr %s %s %s/%s", e.Program, e.Go, e.OS, e.Arch)
			if e.Revision != "" {
				line += " " + e.Revision[:min(12, len(e.Revision))]
				if e.Modified {
					line += " modified"
				}
			}
			_, err := fmt.Fprintln(p.Stdout, line)
			return err
		},
	}
}

// Default returns the program that Main and Experiment run.
func Default() Program { return Program{app.Program{Pipeline: new(run.Pipeline), Open: open}} }

// open opens libtorch and a device. For the device cuda it also returns every GPU that
// the process can use.
func open(device string) (facts map[string]string, gpus []string, err error) {
	if facts, err = checkDevice(device); err == nil && device == "cuda" {
		for i := range torch.CUDADevices() {
			gpus = append(gpus, torch.CUDA(i).String())
		}
	}
	return facts, gpus, err
}

// checkDevice opens libtorch and the device, and returns their entries in env.json.
func checkDevice(device string) (map[string]string, error) {
	d, err := torch.ParseDevice(device)
	if err != nil {
		return nil, app.Usage("losscorr", "%v", err)
	}
	info, err := torch.Describe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	if err := torch.CheckDevice(d); err != nil {
		return nil, fmt.Errorf("%w: %w; train with --device cpu, or see losscorr doctor", store.ErrUnavailable, err)
	}
	facts := map[string]string{"version": info.Version, "cpu_capability": info.CPUCapability, "shim": info.Shim}
	if d.IsCUDA() {
		facts["gpu"] = torch.DeviceName(d)
	}
	return facts, nil
}
