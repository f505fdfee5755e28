package kubernetes

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v4"
)

// job is one Kubernetes Job: a range of a plan's tasks.
type job struct {
	Site
	Name  string
	First int // the task with index 0
	Tasks int
	Pack  int      // runs per task
	Args  []string // further arguments of grid exec, such as --device cuda
	Plan  string   // sha256 of the plan, as an annotation
}

const maxName = 50 // plus a hyphen and an index: 63, the limit of host names

//go:embed job.yaml.tmpl
var jobText string

// jobTemplate is the template of a Job. Its function yaml writes the value after a key and colon, quoted if YAML would
// misread it, and indented by the given amount if it has several lines.
var jobTemplate = template.Must(template.New("job").Funcs(template.FuncMap{"yaml": indentedYAML}).Parse(jobText))

// indentedYAML returns a value as YAML that follows a key indented by that many spaces.
func indentedYAML(indent int, v any) (string, error) {
	text, err := yaml.Dump(v, yaml.WithIndent(2))
	block := strings.TrimSpace(string(text))
	separator := "\n" // before a list or a map
	if _, isText := v.(string); isText || block == "{}" {
		separator = " "
	}
	return strings.ReplaceAll(separator+block, "\n", "\n"+strings.Repeat(" ", indent)), err
}

// manifest returns the Job as YAML.
func (j job) manifest() ([]byte, error) {
	j.Parallelism, j.Retries = min(cmp.Or(j.Parallelism, 10), j.Tasks), cmp.Or(j.Retries, 3)
	j.Grace, j.User = cmp.Or(j.Grace, 120), cmp.Or(j.User, 1000)
	j.Group = cmp.Or(j.Group, j.User)
	args := []string{"grid", "exec", "--plan", path.Join("/runs", j.Path, "plan.json"), "--pack", strconv.Itoa(j.Pack),
		"--offset", strconv.Itoa(j.First)}
	if j.DataClaim != "" {
		args = append(args, "--data", "/data")
	}
	args = append(args, j.Args...)
	for i, a := range args { // the API expands $(NAME)
		args[i] = strings.ReplaceAll(a, "$", "$$")
	}
	j.Args = args
	var b bytes.Buffer
	if err := jobTemplate.Execute(&b, j); err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return b.Bytes(), nil
}

// Resources returns the resources of a task: bounds on memory, which a node cannot take back, and GPUs. Cores are only
// requested; a task may use idle ones too.
func (j job) Resources() any {
	var r struct {
		Requests map[string]string `yaml:"requests,omitempty"`
		Limits   map[string]string `yaml:"limits,omitempty"`
	}
	r.Requests, r.Limits = map[string]string{}, map[string]string{}
	if j.CPU != "" {
		r.Requests["cpu"] = j.CPU
	}
	if j.Memory != "" {
		r.Requests["memory"], r.Limits["memory"] = j.Memory, j.Memory
	}
	if j.GPUs > 0 {
		r.Limits[cmp.Or(j.GPUResource, "nvidia.com/gpu")] = strconv.Itoa(j.GPUs)
	}
	return r
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// jobName makes a Job's name from the folder's name, the plan's SHA-256 and the number of earlier submissions: a Job
// cannot be changed, so each submission is a new Job.
func jobName(folder, sha256 string, before int) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(folder), "-"), "-")
	tail := "-" + sha256[:min(8, len(sha256))]
	if before > 0 {
		tail += fmt.Sprintf("-%d", before+1)
	}
	name = "losscorr-" + name
	return strings.TrimRight(name[:min(len(name), maxName-len(tail))], "-") + tail
}
