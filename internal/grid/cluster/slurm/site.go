package slurm

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// Site holds the settings of one cluster, the keys of its site file. Zero values leave the cluster's defaults, except
// for Signal. A pointer to it is a cluster.Scheduler.
type Site struct {
	Partition    string   `yaml:"partition"`
	Account      string   `yaml:"account"`
	Time         string   `yaml:"time"`           // of one task: 90 (minutes), 12:00:00, 1-12, UNLIMITED
	GPUs         string   `yaml:"gpus"`           // of one task: 1, or a100:1
	CPUs         string   `yaml:"cpus"`           // of one task
	Mem          string   `yaml:"mem"`            // of one task: 8G, 1.5g
	Signal       int      `yaml:"signal"`         // seconds from USR1 to the end; 0 means 120
	NoRequeue    bool     `yaml:"no_requeue"`     // the cluster forbids it
	MaxParallel  int      `yaml:"max_parallel"`   // tasks at a time; 0: no limit
	MaxArraySize int      `yaml:"max_array_size"` // 0: ask scontrol show config
	Program      string   `yaml:"program"`        // path of losscorr on the nodes; empty: this program's
	Setup        []string `yaml:"setup"`          // shell lines before the program, such as module load cuda
	Extra        []string `yaml:"extra"`          // more options of sbatch, such as --mail-type=END
}

// defaultSignal is Slurm's own advice for checkpoints that take seconds: the signal comes up to a minute early.
const defaultSignal = 120

// index is the variable that holds an array element's index.
const index = "SLURM_ARRAY_TASK_ID"

// Names implements cluster.Scheduler.
func (s *Site) Names() cluster.Names {
	return cluster.Names{Scheduler: "slurm", Usage: "as arrays of jobs of Slurm", Index: index, Cancel: "scancel"}
}

var (
	words  = regexp.MustCompile(`^[\w.,:@/+-]+$`)
	counts = regexp.MustCompile(`^[1-9]\d*$`)
	times  = regexp.MustCompile(`^((\d+-)?\d+(:\d+){0,2}|(?i)unlimited|infinite)$`)
	memory = regexp.MustCompile(`^(\d+(?:\.\d+)?)([KMGTkmgt]?)([Bb]?)$`)
)

// sbatchOptions are the options of sbatch that are not named like their settings.
var sbatchOptions = map[string]string{"gpus": "--gres=gpu:", "cpus": "--cpus-per-task="}

// Options implements cluster.Scheduler. The strings, which are sbatch options, come first, in the order of a script.
func (s *Site) Options() []cluster.Option {
	return []cluster.Option{
		{Name: "partition", Usage: "queue", Value: &s.Partition, Form: words, Example: "gpu"},
		{Name: "account", Usage: "account that is charged", Value: &s.Account, Form: words, Example: "mylab"},
		{Name: "time", Usage: "time limit of a task: minutes, HH:MM:SS, D-HH, or UNLIMITED", Value: &s.Time, Form: times,
			Example: "12:00:00"},
		{Name: "gpus", Usage: "GPUs of a task, such as 1 or a100:1", Value: &s.GPUs,
			Form: regexp.MustCompile(`^([\w.-]+:)?[1-9]\d*$`), Example: "a100:1"},
		{Name: "cpus", Usage: "cores of a task", Value: &s.CPUs, Form: counts, Example: "4"},
		{Name: "mem", Usage: "memory of a task, such as 8G", Value: &s.Mem, Form: memory, Example: "8G"},
		{Name: "signal", Value: &s.Signal},
		{Name: "max-parallel", Usage: "tasks at a time (0: as many as there is room for)", Value: &s.MaxParallel},
		{Name: "max-array-size", Usage: "MaxArraySize, if not from scontrol show config", Value: &s.MaxArraySize},
		{Name: "no-requeue", Usage: "for clusters without requeueing", Value: &s.NoRequeue},
	}
}

// UsesGPU implements cluster.Scheduler.
func (s *Site) UsesGPU() bool { return s.GPUs != "" }

// owned are the sbatch options that a submission sets itself.
var owned = []string{"array", "a", "dependency", "d", "output", "o", "error", "e", "open-mode", "parsable", "wrap",
	"wait", "W", "signal", "requeue", "no-requeue", "chdir", "D", "job-name", "J"}

// Validate implements cluster.Scheduler.
func (s *Site) Validate() error {
	for _, line := range slices.Concat(s.Setup, s.Extra, []string{s.Program}) {
		if strings.ContainsAny(line, "\n\r\x00") {
			return fmt.Errorf("%q is more than one line", line)
		}
	}
	for _, line := range s.Extra {
		option := strings.TrimSpace(strings.TrimPrefix(line, "#SBATCH"))
		name, _, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
		name, _, _ = strings.Cut(name, " ")
		switch {
		case !strings.HasPrefix(option, "-") || name == "":
			return fmt.Errorf("extra %q is not an sbatch option such as --mail-type=END", line)
		case slices.Contains(owned, name):
			return fmt.Errorf("extra %q: losscorr sets that option itself", line)
		}
	}
	return nil
}

// directives returns the settings as they follow #SBATCH in a script.
func (s *Site) directives() []string {
	var out []string
	for _, o := range s.Options() {
		v, isText := o.Value.(*string)
		if !isText || *v == "" {
			continue
		}
		prefix := sbatchOptions[o.Name]
		if prefix == "" {
			prefix = "--" + o.Name + "="
		}
		value := *v
		if o.Name == "mem" {
			value = wholeMemory(value)
		}
		out = append(out, prefix+value)
	}
	for _, line := range s.Extra {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(line, "#SBATCH")))
	}
	return out
}

// wholeMemory returns memory as a whole number, as Slurm requires: fractions become the next smaller unit, rounded up.
func wholeMemory(mem string) string {
	parts := memory.FindStringSubmatch(mem)
	if parts == nil || !strings.Contains(parts[1], ".") {
		return mem
	}
	const units = "KMGT" // M by default
	at := strings.Index(units, cmp.Or(strings.ToUpper(parts[2]), "M"))
	number, _ := strconv.ParseFloat(parts[1], 64) // cannot fail: the form was checked
	if at == 0 {
		return fmt.Sprintf("%.0fK", math.Ceil(number))
	}
	return fmt.Sprintf("%.0f%c", math.Ceil(1024*number), units[at-1])
}
