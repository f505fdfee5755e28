package kubernetes

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// Site holds the settings of one cluster, the keys of its site file. A pointer to it is a cluster.Scheduler.
type Site struct {
	Namespace   string            `yaml:"namespace"` // empty: kubectl's
	Image       string            `yaml:"image"`
	Claim       string            `yaml:"claim"`      // ReadWriteMany, holds plans and runs; mounted as /runs
	DataClaim   string            `yaml:"data_claim"` // holds data sets; mounted as /data, read-only
	CPU         string            `yaml:"cpu"`        // of one task: 2, 500m
	Memory      string            `yaml:"memory"`     // of one task: 8Gi
	GPUs        int               `yaml:"gpus"`       // of one task
	GPUResource string            `yaml:"gpu_resource"`
	Parallelism int               `yaml:"parallelism"` // tasks at a time; 0 means 10
	Retries     int               `yaml:"retries"`     // of a task that failed; 0 means 3
	Grace       int               `yaml:"grace"`       // seconds for a checkpoint as a pod is removed; 0 means 120
	User        int               `yaml:"user"`        // user ID of the tasks; 0 means 1000, as in the image
	Group       int               `yaml:"group"`       // group ID of the volume; 0 means User
	Env         map[string]string `yaml:"env"`
	Pod         map[string]any    `yaml:"pod"` // more of the pods' spec

	Path string `yaml:"-"` // the plan's folder inside Claim; empty: the folder's name
}

// Names implements cluster.Scheduler.
func (s *Site) Names() cluster.Names {
	return cluster.Names{
		Scheduler: "kubernetes", Usage: "as an Indexed Job of Kubernetes", Index: "JOB_COMPLETION_INDEX",
		Cancel: "kubectl delete job", Elsewhere: true,
	}
}

var (
	dnsName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	quantity = regexp.MustCompile(`^\d+(\.\d+)?(m|[kMGTP]|[KMGTP]i)?$`)
	image    = regexp.MustCompile(`^[\w.:/@-]+$`)
	envName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Options implements cluster.Scheduler.
func (s *Site) Options() []cluster.Option {
	return []cluster.Option{
		{
			Name: "image", Usage: "image that holds losscorr and libtorch (make image)", Value: &s.Image, Form: image,
			Example:  "registry/losscorr:0.1.0",
			Required: "no image: build one with make image, push it, and name it with --image",
		},
		{
			Name: "claim", Usage: "ReadWriteMany PersistentVolumeClaim for the plan and the runs", Value: &s.Claim,
			Form: dnsName, Example: "runs",
			Required: "no claim: use --claim to name the ReadWriteMany PersistentVolumeClaim that holds the plan",
		},
		{Name: "data-claim", Usage: "PersistentVolumeClaim of the data sets", Value: &s.DataClaim, Form: dnsName,
			Example: "data"},
		{Name: "path", Usage: "the plan's folder inside the claim", Value: &s.Path, Default: "the name of DIR"},
		{Name: "namespace", Usage: "namespace, if not kubectl's", Value: &s.Namespace, Form: dnsName, Example: "research"},
		{Name: "cpu", Usage: "cores that a task requests, such as 2 or 500m", Value: &s.CPU, Form: quantity,
			Example: "2 or 500m"},
		{Name: "memory", Usage: "memory of a task, such as 8Gi", Value: &s.Memory, Form: quantity, Example: "8Gi"},
		{Name: "gpus", Usage: "GPUs of a task", Value: &s.GPUs},
		{Name: "parallelism", Usage: "tasks at a time", Value: &s.Parallelism, Default: "10"},
		{Name: "retries", Value: &s.Retries},
		{Name: "grace", Value: &s.Grace},
		{Name: "user", Value: &s.User},
		{Name: "group", Value: &s.Group},
	}
}

// UsesGPU implements cluster.Scheduler.
func (s *Site) UsesGPU() bool { return s.GPUs > 0 }

// taskVars are variables that would override a task's flags.
var taskVars = []string{"LOSSCORR_INDEX", "LOSSCORR_PLAN", "LOSSCORR_PACK", "LOSSCORR_OFFSET"}

// Validate implements cluster.Scheduler.
func (s *Site) Validate() error {
	for name := range s.Env {
		if !envName.MatchString(name) || slices.Contains(taskVars, name) {
			return fmt.Errorf("env %q: use a valid name, and no variable that the task sets itself", name)
		}
	}
	return nil
}

// checkPath refuses folders outside the claim.
func checkPath(p string) error {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") ||
		strings.ContainsAny(p, "\n\x00\\") {
		return fmt.Errorf("path %q must be the plan's folder inside the claim, such as mnist", p)
	}
	return nil
}
