package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/libtorch"
)

// Machine describes the machine by libtorch.
type Machine struct {
	Version    string   `json:"version"`    // of the opened libtorch
	Threads    int      `json:"threads"`    // of one operation
	Cores      int      `json:"cores"`      // runs at a time
	Capability string   `json:"capability"` // of the processor, as libtorch uses it: AVX2, AVX512
	BLAS       string   `json:"blas"`
	GFLOPS     float64  `json:"gflops"` // of one short float32 product on one thread
	Devices    []string `json:"devices"`
	CUDA       bool     `json:"cuda"`

	CUDAInfo *torch.CUDAInfo `json:"cuda_info,omitempty"` // nil without a GPU
	GPUs     []GPU           `json:"gpus,omitempty"`
	WhyNot   string          `json:"why_not,omitempty"` // why CUDA is missing
}

// Diagnosis lists what works on this machine, and what does not.
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
	Check    *Report           `json:"check,omitempty"` // of the device given by --device
}

// DataFound is the result of looking for a data set.
type DataFound struct {
	Name    string         `json:"name"`
	Train   int            `json:"train,omitempty"` // examples
	Test    int            `json:"test,omitempty"`
	Files   []dataset.File `json:"files,omitempty"`
	Missing bool           `json:"missing,omitempty"` // not found; a run downloads it if possible
	Problem string         `json:"problem,omitempty"`
}

// Problem is a problem with the machine.
type Problem struct {
	What  string `json:"what"`
	Fatal bool   `json:"fatal"` // prevents all training
}

// Examine looks for libtorch, devices and data sets, including those in the folder data unless it is "".
func Examine(data string) Diagnosis {
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
		// Without a shim, report the libtorch that setup would take.
		if in, err := libtorch.Find(); err == nil {
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

// Err returns store.ErrUnavailable if nothing can be trained. WriteText prints the reason.
func (f Diagnosis) Err() error {
	for _, problem := range f.Problems {
		if problem.Fatal {
			return fmt.Errorf("training is %w; see \"to fix\" above", store.ErrUnavailable)
		}
	}
	return nil
}

// WriteText writes a line for each thing found, and what to fix.
func (f Diagnosis) WriteText(w io.Writer) error {
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
				cmp.Or(g.Problem, "product, convolution and draws are correct"))
		}
		line("threads", "%d; runs at a time: %d", m.Threads, m.Cores)
		line("speed", "%.0f GFLOP/s on one thread, %s, %s", m.GFLOPS, m.Capability, m.BLAS)
	}
	for _, d := range f.Data {
		switch {
		case d.Missing:
			line("data", "%s: not found", d.Name)
		case d.Problem != "":
			line("data", "%s: cannot be read", d.Name)
		default:
			line("data", "%s: %d training and %d test examples", d.Name, d.Train, d.Test)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Vars)) {
		line("variable", "%s=%s", name, f.Vars[name])
	}
	for _, problem := range f.Problems {
		fmt.Fprintf(&b, "\nto fix: %s\n", problem.What)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
