package validate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/batch/validation"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"sigs.k8s.io/yaml"
)

// The manifests of the tests of package kubernetes: with the fewest settings and with all, including values that YAML
// might misread.
const (
	least = "least.yaml"
	full  = "full.yaml"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// decode reads a manifest as the API server does with strict field validation.
func decode(t *testing.T, name string) *batchv1.Job {
	t.Helper()
	text := read(t, name)
	j := new(batchv1.Job)
	if err := yaml.UnmarshalStrict(text, j); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return j
}

// refused returns the error of the API server's validation of a Job, after setting its defaults.
func refused(t *testing.T, j *batchv1.Job) error {
	t.Helper()
	j = j.DeepCopy()
	if j.Namespace == "" {
		j.Namespace = "default" // as kubectl sets it
	}
	// The server sets this selector, by which a Job finds its pods, after the steps tested here.
	manual := true
	j.Spec.ManualSelector, j.Spec.Selector = &manual, &metav1.LabelSelector{MatchLabels: j.Spec.Template.Labels}
	legacyscheme.Scheme.Default(j)
	var internal batch.Job
	if err := legacyscheme.Scheme.Convert(j, &internal, nil); err != nil {
		t.Fatal(err)
	}
	return validation.ValidateJob(&internal, validation.JobValidationOptions{}).ToAggregate()
}

// The API server accepts both manifests, with the longest name of package kubernetes and any number of tasks. It
// refuses wrong ones, so the test can fail.
func TestManifests(t *testing.T) {
	for name, test := range map[string]struct {
		file   string
		change func(*batchv1.Job)
		taken  bool
	}{
		"least": {least, func(*batchv1.Job) {}, true},
		"full":  {full, func(*batchv1.Job) {}, true},
		"50 letters": {least, func(j *batchv1.Job) {
			j.Name, *j.Spec.Completions = "losscorr-"+strings.Repeat("x", 41), 99999
		}, true},
		"62 letters":               {least, func(j *batchv1.Job) { j.Name = "losscorr-" + strings.Repeat("x", 53) }, false},
		"a rule without an action": {least, func(j *batchv1.Job) { j.Spec.PodFailurePolicy.Rules[0].Action = "" }, false},
		"a missing container": {least, func(j *batchv1.Job) {
			*j.Spec.PodFailurePolicy.Rules[1].OnExitCodes.ContainerName = "other"
		}, false},
		"restart in place": {least, func(j *batchv1.Job) {
			j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		}, false},
		"a volume that is not there": {least, func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].VolumeMounts[0].Name = "other"
		}, false},
	} {
		j := decode(t, test.file)
		test.change(j)
		if err := refused(t, j); (err == nil) != test.taken {
			t.Errorf("%s: %v", name, err)
		}
	}
	misspelled := strings.Replace(string(read(t, least)), "backoffLimitPerIndex", "backofLimitPerIndex", 1)
	if err := yaml.UnmarshalStrict([]byte(misspelled), new(batchv1.Job)); err == nil {
		t.Error("a misspelled field is accepted")
	}
}

// Values that YAML might misread arrive intact in the API's own types.
func TestMeaning(t *testing.T) {
	c := decode(t, full).Spec.Template.Spec.Containers[0]
	want := "grid exec --plan /runs/a b/it's: #1/plan.json --pack 4 --offset 7 --data /data --device cuda --max-bad 3 " +
		"$$(HOME) yes 1e3 0x1f ~"
	if got := strings.Join(c.Args, " "); got != want {
		t.Errorf("args %q, want %q", got, want)
	}
	env := map[string]string{}
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}
	for name, want := range map[string]string{"A": "no", "B": "12:30:00", "C": "012", "D": "", "E": "line\nline"} {
		if got, set := env[name]; !set || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	gpus, cpu := c.Resources.Limits["amd.com/gpu"], c.Resources.Requests[corev1.ResourceCPU]
	if gpus.Value() != 1 || cpu.MilliValue() != 500 {
		t.Errorf("resources %v, want one GPU and half a core", c.Resources)
	}
}

// The failure policy is read as the controller reads it: the first matching rule counts.
func TestFailurePolicy(t *testing.T) {
	policy := decode(t, least).Spec.PodFailurePolicy
	disruption := func(c batchv1.PodFailurePolicyOnPodConditionsPattern) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue
	}
	action := func(code int32, disrupted bool) batchv1.PodFailurePolicyAction {
		for _, r := range policy.Rules {
			codes := r.OnExitCodes
			ours := codes != nil && *codes.ContainerName == "losscorr" && codes.Operator == "In"
			if disrupted && slices.ContainsFunc(r.OnPodConditions, disruption) || ours && slices.Contains(codes.Values, code) {
				return r.Action
			}
		}
		return batchv1.PodFailurePolicyActionCount
	}
	for _, tt := range []struct {
		code      int32
		disrupted bool
		want      batchv1.PodFailurePolicyAction
	}{
		{137, true, "Ignore"}, {65, true, "Ignore"}, {75, false, "Ignore"},
		{2, false, "FailIndex"}, {65, false, "FailIndex"}, {78, false, "FailIndex"},
		{1, false, "Count"}, {137, false, "Count"}, {143, false, "Count"},
	} {
		if got := action(tt.code, tt.disrupted); got != tt.want {
			t.Errorf("exit code %d, disrupted %v: %s, want %s", tt.code, tt.disrupted, got, tt.want)
		}
	}
}
