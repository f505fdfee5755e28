package slurm

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/cluster"
	"go.yaml.in/yaml/v4"
)

// Site is what a cluster wants to be told with every job. Zero values leave the
// cluster's own defaults, but for Signal and Requeue.
type Site struct {
	Partition    string   `yaml:"partition"`
	Account      string   `yaml:"account"`
	QOS          string   `yaml:"qos"`
	Time         string   `yaml:"time"` // of one task: 90 (minutes), 12:00:00, 1-12
	GPUs         string   `yaml:"gpus"` // of one task: 1, or a100:1
	Gres         string   `yaml:"gres"` // anything else of that sort
	CPUs         string   `yaml:"cpus"` // of one task
	Mem          string   `yaml:"mem"`  // of one task: 8G
	Constraint   string   `yaml:"constraint"`
	Exclude      string   `yaml:"exclude"`        // nodes
	Signal       int      `yaml:"signal"`         // seconds that USR1 comes before the end; 0 means 120
	Requeue      *bool    `yaml:"requeue"`        // false where the cluster forbids it
	MaxParallel  int      `yaml:"max_parallel"`   // tasks at a time; 0: as many as there is room for
	MaxArraySize int      `yaml:"max_array_size"` // 0: as scontrol show config says
	Program      string   `yaml:"program"`        // path of losscorr on the nodes; empty: of the one that submits
	Setup        []string `yaml:"setup"`          // shell lines before the program, such as module load cuda
	Extra        []string `yaml:"extra"`          // more options of sbatch, such as --mail-type=END
}

// defaultSignal is Slurm's own advice for checkpoints of seconds: the signal
// comes up to a minute early.
const defaultSignal = 120

// Option is a setting of a Site that is one word, so that a flag can set it.
type Option struct {
	Name, Usage string
	sbatch      string
	form        *regexp.Regexp
	like        string // an example, for the error
	field       func(*Site) *string
}

var (
	words  = regexp.MustCompile(`^[\w.,:@/+-]+$`)
	counts = regexp.MustCompile(`^[1-9]\d*$`)
)

// Options are those settings, in the order in which they stand in a script.
var Options = []Option{
	{"partition", "queue", "--partition=", words, "gpu", func(s *Site) *string { return &s.Partition }},
	{"account", "account that is charged", "--account=", words, "mylab", func(s *Site) *string { return &s.Account }},
	{"qos", "quality of service", "--qos=", words, "normal", func(s *Site) *string { return &s.QOS }},
	{"time", "time limit of a task: minutes, or HH:MM:SS, or D-HH", "--time=", regexp.MustCompile(`^(\d+-)?\d+(:\d+){0,2}$`), "12:00:00", func(s *Site) *string { return &s.Time }},
	{"gpus", "GPUs of a task, such as 1 or a100:1", "--gres=gpu:", regexp.MustCompile(`^([\w.-]+:)?[1-9]\d*$`), "a100:1", func(s *Site) *string { return &s.GPUs }},
	{"gres", "other resources of a task, such as shard:2", "--gres=", words, "shard:2", func(s *Site) *string { return &s.Gres }},
	{"cpus", "cores of a task", "--cpus-per-task=", counts, "4", func(s *Site) *string { return &s.CPUs }},
	{"mem", "memory of a task, such as 8G", "--mem=", regexp.MustCompile(`^\d+[KMGT]?B?$`), "8G", func(s *Site) *string { return &s.Mem }},
	{"constraint", "features that a node must have", "--constraint=", regexp.MustCompile(`^[\w.,&|*()\[\]-]+$`), "skylake", func(s *Site) *string { return &s.Constraint }},
	{"exclude", "nodes to leave out", "--exclude=", regexp.MustCompile(`^[\w.,\[\]-]+$`), "node[01-03]", func(s *Site) *string { return &s.Exclude }},
}

// Set changes a setting.
func (o Option) Set(s *Site, value string) { *o.field(s) = value }

// LoadSite reads a YAML file of a Site. A key that is none is an error.
func LoadSite(path string) (Site, error) {
	var s Site
	data, err := os.ReadFile(path)
	if err != nil {
		return s, &cluster.SiteError{Err: fmt.Errorf("site file: %w", err)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return s, nil
	}
	if err := yaml.Load(data, &s, yaml.WithKnownFields()); err != nil {
		return s, &cluster.SiteError{Err: fmt.Errorf("site file %s: %s; docs/clusters.md lists the keys", path, strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	if err := s.Validate(); err != nil {
		return s, &cluster.SiteError{Err: fmt.Errorf("site file %s: %w", path, err)}
	}
	return s, nil
}

// owned are the options of sbatch that a submission sets itself.
var owned = []string{"array", "a", "dependency", "d", "output", "o", "error", "e", "open-mode", "parsable", "wrap", "wait", "W", "signal", "requeue", "no-requeue", "chdir", "D", "job-name", "J"}

// Validate refuses what would not reach Slurm as it was meant. The error is a
// *cluster.SiteError.
func (s Site) Validate() error {
	for _, o := range Options {
		if v := *o.field(&s); v != "" && !o.form.MatchString(v) {
			return &cluster.SiteError{Err: fmt.Errorf("%s %q is none; one is %s", o.Name, v, o.like)}
		}
	}
	if s.GPUs != "" && s.Gres != "" {
		return &cluster.SiteError{Err: fmt.Errorf("gpus %s and gres %s set the same option: write gres: gpu:%s,%s", s.GPUs, s.Gres, s.GPUs, s.Gres)}
	}
	for name, n := range map[string]int{"signal": s.Signal, "max_parallel": s.MaxParallel, "max_array_size": s.MaxArraySize} {
		if n < 0 {
			return &cluster.SiteError{Err: fmt.Errorf("%s %d is negative", name, n)}
		}
	}
	for _, line := range slices.Concat(s.Setup, s.Extra, []string{s.Program}) {
		if strings.ContainsAny(line, "\n\r\x00") {
			return &cluster.SiteError{Err: fmt.Errorf("%q is more than one line", line)}
		}
	}
	for _, line := range s.Extra {
		option := strings.TrimSpace(strings.TrimPrefix(line, "#SBATCH"))
		name, _, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
		name, _, _ = strings.Cut(name, " ")
		switch {
		case !strings.HasPrefix(option, "-") || name == "":
			return &cluster.SiteError{Err: fmt.Errorf("extra %q is no option of sbatch, such as --mail-type=END", line)}
		case slices.Contains(owned, name):
			return &cluster.SiteError{Err: fmt.Errorf("extra %q: losscorr sets that option itself", line)}
		}
	}
	return nil
}

// options are the lines of a script after #SBATCH.
func (s Site) options() []string {
	var out []string
	for _, o := range Options {
		if v := *o.field(&s); v != "" {
			out = append(out, o.sbatch+v)
		}
	}
	return append(out, s.extra()...)
}

func (s Site) extra() []string {
	var out []string
	for _, line := range s.Extra {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(line, "#SBATCH")))
	}
	return out
}

func (s Site) signal() int {
	if s.Signal == 0 {
		return defaultSignal
	}
	return s.Signal
}

func (s Site) requeue() bool { return s.Requeue == nil || *s.Requeue }
