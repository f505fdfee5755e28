package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/libtorch"
)

// Machine is what libtorch says once it is open.
type Machine struct {
	Version    string   `json:"version"`    // of the libtorch that was opened
	Threads    int      `json:"threads"`    // of one operation
	Cores      int      `json:"cores"`      // runs at a time
	Capability string   `json:"capability"` // of the processor, as libtorch uses it: AVX2, AVX512
	BLAS       string   `json:"blas"`
	GFLOPS     float64  `json:"gflops"` // of one short float32 product on one thread
	Devices    []string `json:"devices"`
	CUDA       bool     `json:"cuda"`

	CUDAInfo *torch.CUDAInfo `json:"cuda_info,omitempty"` // nil where there is no GPU
	GPUs     []GPU           `json:"gpus,omitempty"`
	WhyNot   string          `json:"why_not,omitempty"` // why there is no CUDA
}

// Diagnosis is what doctor finds.
type Diagnosis struct {
	Schema   int               `json:"schema"`
	Program  string            `json:"program"`
	Go       string            `json:"go"`
	CPU      store.CPU         `json:"cpu"`
	Vars     map[string]string `json:"vars,omitempty"`
	Libtorch *libtorch.Install `json:"libtorch"`
	Shim     *libtorch.Shim    `json:"shim"`
	Machine  *Machine          `json:"machine"`
	Data     []DataFound       `json:"data"`
	Problems []Problem         `json:"problems"`
	Check    *Proof            `json:"check,omitempty"` // of --device
}

// DataFound says whether a data set was found.
type DataFound struct {
	Name    string         `json:"name"`
	Train   int            `json:"train,omitempty"` // examples
	Test    int            `json:"test,omitempty"`
	Files   []dataset.File `json:"files,omitempty"`
	Missing bool           `json:"missing,omitempty"` // no place has it; a run fetches what can be had
	Problem string         `json:"problem,omitempty"`
}

// Problem is something that does not work.
type Problem struct {
	What  string `json:"what"`
	Fatal bool   `json:"fatal"` // nothing can be trained
}

func (p topCommands) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "report what works on this machine and how to repair the rest", OnUsageError: app.OnUsageError,
		HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "data", Usage: "folder of the data sets", EnvVars: app.Env("DATA")},
			&cli.StringFlag{Name: "device", Usage: "compare this device with the CPU in float64, and time training steps: " +
				"cpu, cuda or cuda:N"},
			&cli.BoolFlag{Name: "no-times", Usage: "with --device: leave out the times"},
			&cli.StringFlag{Name: "python", Usage: "with --device: interpreter whose torch is timed beside", Value: "python3"},
		},
		Action: p.doctor,
	}
}

func (p topCommands) doctor(c *cli.Context) error {
	if err := app.NoArguments(c); err != nil {
		return err
	}
	var device torch.Device
	if c.IsSet("device") {
		var err error
		if device, err = torch.ParseDevice(c.String("device")); err != nil {
			return app.Usage("losscorr doctor", "%v", err)
		}
	} else if c.IsSet("no-times") || c.IsSet("python") {
		return app.Usage("losscorr doctor", "--no-times and --python are for the check of a --device")
	}
	found := p.examine(c.String("data"))
	if !c.Bool("json") {
		if err := found.print(p.Stdout); err != nil {
			return err
		}
	}
	failed := found.err()
	if failed == nil && c.IsSet("device") {
		found.Check, failed = p.prove(c, device)
	}
	var err error
	switch {
	case c.Bool("json"):
		err = p.PrintJSON(found)
	case found.Check != nil:
		fmt.Fprintln(p.Stdout)
		err = found.Check.print(p.Stdout)
	}
	if err == nil && failed == nil && found.Check != nil && found.Check.Failed > 0 {
		failed = fmt.Errorf("%d of %d checks failed on %s", found.Check.Failed, len(found.Check.Results), found.Check.Device)
	}
	return errors.Join(failed, err)
}

func (p topCommands) examine(data string) Diagnosis {
	e := store.NewEnvironment(losscorr.Version, nil)
	found := Diagnosis{Schema: 1, Program: e.Program, Go: e.Go, CPU: e.CPU, Vars: e.Vars, Data: []DataFound{},
		Problems: []Problem{}}
	problem := func(fatal bool, err error) {
		found.Problems = append(found.Problems, Problem{What: err.Error(), Fatal: fatal})
	}
	shim, err := libtorch.Locate(losscorr.Sources)
	if err == nil {
		found.Shim = &shim
		if in, err := libtorch.Open(shim.Libtorch, "the shim's own"); err == nil {
			found.Libtorch = &in
		}
	} else {
		problem(true, err)
		// Without a shim the libtorch that setup would take is of interest.
		if in, err := libtorch.Find(libtorch.FindOptions{}); err == nil {
			found.Libtorch = &in
		} else {
			problem(true, err)
		}
	}
	if found.Shim != nil {
		if m, err := examineMachine(); err == nil {
			found.Machine = &m
			for _, g := range m.GPUs {
				if g.Problem != "" {
					problem(false, fmt.Errorf("%s does not work: %s", g.Device, g.Problem))
				}
			}
		} else {
			problem(true, err)
		}
	}
	for _, name := range published.All.Names() {
		if published.All.Named(name).Own {
			continue
		}
		d, err := published.Open(name, dataset.Options{Root: data, Offline: true})
		if err != nil {
			missing := errors.Is(err, published.ErrNotFound)
			found.Data = append(found.Data, DataFound{Name: name, Missing: missing, Problem: err.Error()})
			if !missing {
				problem(false, err)
			}
			continue
		}
		found.Data = append(found.Data, DataFound{Name: name, Train: d.Train.Len(), Test: d.Test.Len(), Files: d.Files})
	}
	return found
}

// err is ErrUnavailable where nothing can be trained. The text stands in the
// report already.
func (f Diagnosis) err() error {
	for _, problem := range f.Problems {
		if problem.Fatal {
			return fmt.Errorf("training is %w: see \"to repair\" above", store.ErrUnavailable)
		}
	}
	return nil
}

func (f Diagnosis) print(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("losscorr", "%s, %s", f.Program, f.Go)
	line("processor", "%s, %d cores", cmp.Or(f.CPU.Model, "unknown"), f.CPU.Cores)
	if f.Libtorch != nil {
		line("libtorch", "%s in %s", f.Libtorch.Version, f.Libtorch.Dir)
	} else {
		line("libtorch", "not found")
	}
	if f.Shim != nil {
		line("shim", "%s, built by %s", f.Shim.Path, cmp.Or(f.Shim.Compiler, "unknown"))
	} else {
		line("shim", "not found")
	}
	if m := f.Machine; m != nil {
		line("devices", "%s", strings.Join(m.Devices, ", "))
		if !m.CUDA {
			line("cuda", "no: %s", cmp.Or(m.WhyNot, "unknown"))
		}
		if c := m.CUDAInfo; c != nil {
			line("cuda", "driver for CUDA %s, libtorch on CUDA %s, built for %s", c.Driver, c.Runtime,
				strings.Join(c.Architectures, " "))
		}
		for _, g := range m.GPUs {
			line("gpu", "%s: %s, compute capability %s, %.0f GiB: %s", g.Device, g.Name, g.Capability, float64(g.Memory)/(1<<30),
				cmp.Or(g.Problem, "product, convolution and draws are right"))
		}
		line("threads", "%d; runs at a time: %d", m.Threads, m.Cores)
		line("speed", "%.0f GFLOP/s on one thread, %s, %s", m.GFLOPS, m.Capability, m.BLAS)
	}
	for _, d := range f.Data {
		if d.Problem != "" {
			what := "cannot be read"
			if d.Missing {
				what = "not found"
			}
			line("data", "%s: %s", d.Name, what)
			continue
		}
		line("data", "%s: %d training and %d test examples", d.Name, d.Train, d.Test)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Vars)) {
		line("variable", "%s=%s", name, f.Vars[name])
	}
	for _, problem := range f.Problems {
		fmt.Fprintf(&b, "\nto repair: %s\n", problem.What)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
