package kubernetes

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Site is what a cluster has for tasks and asks of them.
type Site struct {
	Namespace        string            `yaml:"namespace"` // empty: kubectl's
	Image            string            `yaml:"image"`
	Claim            string            `yaml:"claim"`      // ReadWriteMany, holds plans and runs; mounted as /runs
	DataClaim        string            `yaml:"data_claim"` // holds data sets; mounted as /data, not written to
	CPU              string            `yaml:"cpu"`        // of one task: 2, 500m
	Memory           string            `yaml:"memory"`     // of one task: 8Gi
	GPUs             int               `yaml:"gpus"`       // of one task
	GPUResource      string            `yaml:"gpu_resource"`
	Parallelism      int               `yaml:"parallelism"` // tasks at a time; 0 means 10
	Retries          int               `yaml:"retries"`     // of a task that failed; 0 means 3
	Grace            int               `yaml:"grace"`       // seconds for a checkpoint when a pod has to go; 0 means 120
	User             int               `yaml:"user"`        // that the tasks run as; 0 means 1000, the image's
	Group            int               `yaml:"group"`       // that owns the volume; 0 means User
	NodeSelector     map[string]string `yaml:"node_selector"`
	Tolerations      []Toleration      `yaml:"tolerations"`
	ServiceAccount   string            `yaml:"service_account"`
	PriorityClass    string            `yaml:"priority_class"`
	ImagePullSecrets []string          `yaml:"image_pull_secrets"`
	Env              map[string]string `yaml:"env"`
}

// LoadSite reads a YAML file of a Site. A key that is none is an error.
func LoadSite(file string) (Site, error) {
	var s Site
	data, err := os.ReadFile(file)
	if err != nil {
		return s, fmt.Errorf("site file: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return s, nil
	}
	if err := yaml.Load(data, &s, yaml.WithKnownFields()); err != nil {
		return s, fmt.Errorf("site file %s: %s; docs/clusters.md lists the keys", file, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return s, nil
}

var (
	dnsName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	quantity = regexp.MustCompile(`^\d+(\.\d+)?(m|[kMGTP]|[KMGTP]i)?$`)
	image    = regexp.MustCompile(`^[\w.:/@-]+$`)
	envName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Validate says what the API server would refuse, in our own words.
func (s Site) Validate() error {
	switch {
	case s.Image == "":
		return fmt.Errorf("no image: build one with make image, push it, and name it with --image")
	case !image.MatchString(s.Image):
		return fmt.Errorf("image %q is none; one is registry/losscorr:0.1.0", s.Image)
	case s.Claim == "":
		return fmt.Errorf("no claim: name with --claim the PersistentVolumeClaim, of ReadWriteMany, that holds the plan")
	case s.GPUs < 0 || s.Parallelism < 0 || s.Retries < 0 || s.Grace < 0 || s.User < 0 || s.Group < 0:
		return fmt.Errorf("gpus, parallelism, retries, grace, user and group are 0 or more")
	}
	for _, f := range []struct {
		name, value, like string
		form              *regexp.Regexp
	}{
		{"namespace", s.Namespace, "research", dnsName},
		{"claim", s.Claim, "runs", dnsName},
		{"data claim", s.DataClaim, "data", dnsName},
		{"cpu", s.CPU, "2 or 500m", quantity},
		{"memory", s.Memory, "8Gi", quantity},
		{"service account", s.ServiceAccount, "trainer", dnsName},
		{"priority class", s.PriorityClass, "low", dnsName},
	} {
		if f.value != "" && !f.form.MatchString(f.value) {
			return fmt.Errorf("%s %q is none; one is %s", f.name, f.value, f.like)
		}
	}
	for name := range s.Env {
		if !envName.MatchString(name) || strings.HasPrefix(name, "LOSSCORR_") && slices.Contains(execSets, name) {
			return fmt.Errorf("env %q: not a name of a variable, or one that the task sets itself", name)
		}
	}
	return nil
}

// execSets are the variables that would override what a task is told.
var execSets = []string{"LOSSCORR_INDEX", "LOSSCORR_PLAN", "LOSSCORR_PACK", "LOSSCORR_OFFSET"}

// CheckPath refuses folders of the claim that lead out of it.
func CheckPath(p string) error {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") || strings.ContainsAny(p, "\n\x00\\") {
		return fmt.Errorf("path %q has to be that of the plan's folder inside the claim, such as mnist", p)
	}
	return nil
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
