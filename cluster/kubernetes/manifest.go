package kubernetes

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Submission is the tasks of a plan that become one Job.
type Submission struct {
	Site  Site
	Name  string // of the Job
	Path  string // of the plan's folder in the claim
	First int    // task of index 0
	Tasks int
	Pack  int      // runs of a task
	Args  []string // more for grid exec, such as --device cuda
	Plan  string   // sha256 of the plan, as an annotation
}

const (
	container = "losscorr"
	runsMount = "/runs"
	dataMount = "/data"
	gpu       = "nvidia.com/gpu"
	maxName   = 50 // and a hyphen and an index make a host's name of 63
)

// hopeless are the exit codes that another try of the same task cannot repair: usage, bad
// data, bad configuration. A device that is not available (69), or no longer, may be on
// another node or in another process.
var hopeless = []int{2, 65, 78}

// stopped is the exit code of a task that wrote a checkpoint because it was asked
// to stop.
const stopped = 75

// Job is the submission as an object of the API.
func (s Submission) Job() Job {
	labels := map[string]string{"app.kubernetes.io/name": "losscorr", "app.kubernetes.io/instance": s.Name}
	job := Job{APIVersion: "batch/v1", Kind: "Job", Metadata: Metadata{Name: s.Name, Namespace: s.Site.Namespace, Labels: labels}}
	if s.Plan != "" {
		job.Metadata.Annotations = map[string]string{"losscorr/plan-sha256": s.Plan}
	}
	job.Spec = JobSpec{
		CompletionMode: "Indexed", Completions: s.Tasks, Parallelism: min(s.Tasks, or(s.Site.Parallelism, 10)),
		BackoffLimitPerIndex: or(s.Site.Retries, 3),
		PodReplacementPolicy: "Failed", // no second pod of an index before the first has ended
		PodFailurePolicy: FailurePolicy{Rules: []FailureRule{
			{Action: "Ignore", OnPodConditions: []PodCondition{{Type: "DisruptionTarget", Status: "True"}}},
			{Action: "Ignore", OnExitCodes: &ExitCodes{container, "In", []int{stopped}}},
			{Action: "FailIndex", OnExitCodes: &ExitCodes{container, "In", hopeless}},
		}},
		Template: PodTemplate{Metadata: Metadata{Labels: labels}, Spec: s.pod()},
	}
	return job
}

func (s Submission) pod() PodSpec {
	user := or(s.Site.User, 1000)
	group := or(s.Site.Group, user)
	pod := PodSpec{
		RestartPolicy: "Never", GracePeriod: or(s.Site.Grace, 120),
		ServiceAccount: s.Site.ServiceAccount, PriorityClass: s.Site.PriorityClass,
		NodeSelector: s.Site.NodeSelector, Tolerations: s.Site.Tolerations,
		SecurityContext: PodSecurity{
			RunAsNonRoot: true, RunAsUser: user, RunAsGroup: group, FSGroup: group,
			FSGroupChangePolicy: "OnRootMismatch", SeccompProfile: Seccomp{Type: "RuntimeDefault"},
		},
		Volumes: []Volume{
			{Name: "runs", Claim: &Claim{ClaimName: s.Site.Claim}},
			{Name: "tmp", EmptyDir: &struct{}{}},
		},
	}
	for _, name := range s.Site.ImagePullSecrets {
		pod.ImagePullSecrets = append(pod.ImagePullSecrets, Reference{name})
	}
	c := Container{
		Name: container, Image: s.Site.Image, Args: s.args(), WorkingDir: runsMount, Resources: s.resources(),
		// Home and cache of a user that the image need not know.
		Env:             []EnvVar{{"HOME", "/tmp"}, {"XDG_CACHE_HOME", "/tmp/cache"}},
		SecurityContext: ContainerSecurity{ReadOnlyRootFilesystem: true, Capabilities: Capabilities{Drop: []string{"ALL"}}},
		VolumeMounts:    []Mount{{Name: "runs", MountPath: runsMount}, {Name: "tmp", MountPath: "/tmp"}},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Site.Env)) {
		c.Env = append(c.Env, EnvVar{name, s.Site.Env[name]})
	}
	if s.Site.DataClaim != "" {
		pod.Volumes = append(pod.Volumes, Volume{Name: "data", Claim: &Claim{ClaimName: s.Site.DataClaim, ReadOnly: true}})
		c.VolumeMounts = append(c.VolumeMounts, Mount{Name: "data", MountPath: dataMount, ReadOnly: true})
	}
	pod.Containers = []Container{c}
	return pod
}

func (s Submission) args() []string {
	args := []string{
		"grid", "exec", "--plan", path.Join(runsMount, s.Path, "plan.json"),
		"--pack", strconv.Itoa(s.Pack), "--offset", strconv.Itoa(s.First),
	}
	if s.Site.DataClaim != "" {
		args = append(args, "--data", dataMount)
	}
	args = append(args, s.Args...)
	for i, a := range args { // the API expands $(NAME)
		args[i] = strings.ReplaceAll(a, "$", "$$")
	}
	return args
}

// resources bounds memory, which a node cannot take back, and GPUs; of cores a
// task may have what others leave.
func (s Submission) resources() Resources {
	r := Resources{Requests: map[string]string{}, Limits: map[string]string{}}
	if s.Site.CPU != "" {
		r.Requests["cpu"] = s.Site.CPU
	}
	if s.Site.Memory != "" {
		r.Requests["memory"], r.Limits["memory"] = s.Site.Memory, s.Site.Memory
	}
	if s.Site.GPUs > 0 {
		name := s.Site.GPUResource
		if name == "" {
			name = gpu
		}
		r.Limits[name] = strconv.Itoa(s.Site.GPUs)
	}
	return r
}

// Manifest is the Job as YAML. The error says what the API server would refuse.
func (s Submission) Manifest() ([]byte, error) {
	if err := s.Site.Validate(); err != nil {
		return nil, err
	}
	if err := CheckPath(s.Path); err != nil {
		return nil, err
	}
	if !dnsName.MatchString(s.Name) || len(s.Name) > maxName || strings.Contains(s.Name, ".") {
		return nil, fmt.Errorf("job name %q: small letters, digits and hyphens, %d at most", s.Name, maxName)
	}
	if s.Tasks < 1 || s.Pack < 1 || s.First < 0 {
		return nil, fmt.Errorf("%d tasks of %d runs from task %d make no job", s.Tasks, s.Pack, s.First)
	}
	text, err := yaml.Dump(s.Job(), yaml.WithIndent(2))
	if err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	return text, nil
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// JobName makes a Job's name of a folder's, the plan's sha256 and how often it was
// submitted before: a Job cannot be changed, so another try is another Job.
func JobName(folder, sha256 string, before int) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(folder), "-"), "-")
	tail := "-" + sha256[:min(8, len(sha256))]
	if before > 0 {
		tail += fmt.Sprintf("-%d", before+1)
	}
	name = "losscorr-" + name
	return strings.TrimRight(name[:min(len(name), maxName-len(tail))], "-") + tail
}
