package store

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Environment describes where a run was computed, in enough detail to explain why two machines give different results.
type Environment struct {
	Schema  int    `json:"schema"`
	Program string `json:"program"` // version of losscorr
	Code
	// Earlier is other code that trained epochs in earlier attempts.
	Earlier  []string          `json:"earlier_revisions,omitempty"`
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Host     string            `json:"host"`
	CPU      CPU               `json:"cpu"`
	Threads  int               `json:"threads"` // of Go (GOMAXPROCS); a run uses one libtorch thread
	Libtorch map[string]string `json:"libtorch,omitempty"`
	Job      map[string]string `json:"job,omitempty"` // the cluster scheduler's variables for the job
	Vars     map[string]string `json:"vars,omitempty"`
	GPU      *GPU              `json:"gpu,omitempty"`    // the one used
	Data     map[string]string `json:"data,omitempty"`   // sha256 of each data file
	Inputs   map[string]string `json:"inputs,omitempty"` // config.Config.Contents
	Labels   string            `json:"labels,omitempty"` // sha256 of the noisy labels
	PeakMiB  int64             `json:"peak_mib,omitempty"`
}

// Processors names what computed the run: the CPU's model and, if one was used, the GPU's.
func (e *Environment) Processors() string {
	if e.GPU == nil {
		return e.CPU.Model
	}
	return strings.TrimPrefix(e.CPU.Model+" and "+e.GPU.Name, " and ")
}

// CPU describes the processor.
type CPU struct {
	Model string   `json:"model"`
	Cores int      `json:"cores"` // logical
	Flags []string `json:"flags,omitempty"`
}

// GPU describes a GPU and its settings.
type GPU struct {
	Name          string `json:"name"`
	Driver        string `json:"driver"`        // the newest CUDA version that the driver supports
	Runtime       string `json:"runtime"`       // the CUDA version of libtorch
	TF32          string `json:"tf32"`          // cudnn, all or off
	Deterministic bool   `json:"deterministic"` // only operations that give the same bits each time
	Record        string `json:"record"`        // the setting record, auto or off
}

// tuningVars are environment variables that change libtorch's results or speed.
var tuningVars = []string{
	"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_PROC_BIND", "KMP_AFFINITY",
	"ATEN_CPU_CAPABILITY", "CUDA_VISIBLE_DEVICES", "CUBLAS_WORKSPACE_CONFIG", "LD_PRELOAD",
	"LIBTORCH", "GOMAXPROCS",
}

// NewEnvironment describes this process and machine. version is the program's;
// libtorch holds its version, its path and the like.
func NewEnvironment(version string, libtorch map[string]string) Environment {
	e := Environment{
		Schema: 1, Program: version, Code: ThisCode(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: readCPU(), Threads: runtime.GOMAXPROCS(0), Libtorch: libtorch,
		Job: present(os.Environ(), jobVars(), ""), Vars: present(os.Environ(), tuningVars, "MKL_"),
	}
	e.Host, _ = os.Hostname() // empty if the machine has no name
	return e
}

// PeakMiB returns the peak memory of the process, in MiB.
func PeakMiB() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes here, KiB on Linux
		return u.Maxrss >> 20
	}
	return u.Maxrss >> 10
}

func present(environ, names []string, prefix string) map[string]string {
	out := map[string]string{}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if slices.Contains(names, name) || prefix != "" && strings.HasPrefix(name, prefix) {
			out[name] = text
		}
	}
	return out
}

// parseCPUInfo reads the model and the flags from Linux's /proc/cpuinfo. On ARM the flags are called Features, and the
// model is often missing.
func parseCPUInfo(r io.Reader) CPU {
	var c CPU
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && (c.Model == "" || c.Flags == nil) {
		key, text, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "model name":
			c.Model = strings.TrimSpace(text)
		case "flags", "Features":
			c.Flags = strings.Fields(text)
		}
	}
	return c
}

// SetEnvironment writes the run's environment.
func (f *Folder) SetEnvironment(e Environment) error {
	e.Schema = 1
	return f.writeJSON(EnvironmentFile, e)
}

// Environment reads the run's environment.
func (f *Folder) Environment() (Environment, error) {
	var e Environment
	err := f.readJSON(EnvironmentFile, &e)
	return e, err
}

// UpdateEnvironment changes the run's environment, for example once the hashes of the data are known.
func (f *Folder) UpdateEnvironment(change func(*Environment)) error {
	e, err := f.Environment()
	if err != nil {
		return err
	}
	change(&e)
	return f.SetEnvironment(e)
}
