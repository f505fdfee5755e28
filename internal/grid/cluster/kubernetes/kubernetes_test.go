package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// testdata holds a manifest with the fewest settings and one with all, including values that YAML might misread.
func TestManifest(t *testing.T) {
	const image = "registry.example.org/losscorr:0.1.0"
	least := job{
		Site: Site{Image: image, Claim: "runs", Path: "mnist"}, Name: "losscorr-mnist-0123abcd", Tasks: 200, Pack: 1,
	}
	full := job{
		Site: Site{
			Image: image, Claim: "runs", Path: "a b/it's: #1", Namespace: "research", DataClaim: "data",
			CPU: "500m", Memory: "8Gi", GPUs: 1, GPUResource: "amd.com/gpu",
			Parallelism: 3, Retries: 5, Grace: 60, User: 2000, Group: 3000,
			Pod: map[string]any{"serviceAccountName": "trainer", "priorityClassName": "low",
				"imagePullSecrets": []any{map[string]any{"name": "pull"}},
				"nodeSelector":     map[string]any{"gpu": "true", "pool": "on", "zone": "1"},
				"tolerations":      []any{map[string]any{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}},
			},
			Env: map[string]string{"A": "no", "B": "12:30:00", "C": "012", "D": "", "E": "line\nline"},
		},
		Name: "losscorr-it-s-100-11111111-3", First: 7, Tasks: 200, Pack: 4, Plan: "1234",
		Args: []string{"--device", "cuda", "--max-bad", "3", "$(HOME)", "yes", "1e3", "0x1f", "~"},
	}
	for name, j := range map[string]job{"least.yaml": least, "full.yaml": full} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		expect.OK(t, err)
		got, err := j.manifest()
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A site file without image or volume, or with values that Kubernetes would refuse, is refused, as are folders outside
// the claim.
func TestRefused(t *testing.T) {
	good := Site{Image: "i", Claim: "c"}
	expect.OK(t, cluster.Validate(&good))
	for want, breakIt := range map[string]func(*Site){
		"no image":            func(s *Site) { s.Image = "" },
		`image "a b"`:         func(s *Site) { s.Image = "a b" },
		"no claim":            func(s *Site) { s.Claim = "" },
		"ReadWriteMany":       func(s *Site) { s.Claim = "" },
		`claim "A"`:           func(s *Site) { s.Claim = "A" },
		`memory "8 GB"`:       func(s *Site) { s.Memory = "8 GB" },
		`cpu "two"`:           func(s *Site) { s.CPU = "two" },
		"gpus -1 is negative": func(s *Site) { s.GPUs = -1 },
		`env "1A"`:            func(s *Site) { s.Env = map[string]string{"1A": ""} },
		`"LOSSCORR_INDEX"`:    func(s *Site) { s.Env = map[string]string{"LOSSCORR_INDEX": "1"} },
	} {
		s := good
		breakIt(&s)
		expect.Fails(t, cluster.Validate(&s), want)
	}
	for path, ok := range map[string]bool{
		"p": true, "a/b": true, "": false, "/p": false, "../p": false, "a/../b": false, "..": false, "a\nb": false,
	} {
		if err := checkPath(path); (err == nil) != ok {
			t.Errorf("path %q: %v", path, err)
		}
	}
}

// Names suit Kubernetes, and each submission gets a new one.
func TestJobName(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	seen := map[string]bool{}
	for _, folder := range []string{"mnist", "MNIST 100%", "", "---", strings.Repeat("x-", 60)} {
		for _, before := range []int{0, 1, 99} {
			name := jobName(folder, "0123456789abcdef", before)
			if !form.MatchString(name) || len(name) > maxName {
				t.Errorf("%q, %d: %q", folder, before, name)
			}
			seen[name] = true
		}
	}
	if len(seen) != 4*3 { // two of the folders have no letters
		t.Errorf("%d names: %v", len(seen), seen)
	}
}

// The tasks of a Job that have not ended are its indices without those that kubectl lists as ended. Failed tasks can be
// submitted again while an earlier Job still runs the others.
func TestKubectl(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	program := func(body string) {
		t.Helper()
		expect.OK(t, os.WriteFile(filepath.Join(bin, "kubectl"), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	list := []cluster.Job{{ID: "w", Tasks: "0-3"}, {ID: "x", Namespace: "lab", Tasks: "4-9", Offset: 4}}
	queued := func() (string, error) {
		got, err := new(Site).Queued(t.Context(), list)
		var tasks []int
		for _, q := range got {
			if q.State != "active" || (q.Job.ID == "w") != (q.Task < 4) {
				t.Errorf("%+v", q)
			}
			tasks = append(tasks, q.Task)
		}
		return humanize.Ranges(tasks), err
	}
	expect.Fails(t, expect.Err(queued()), "", store.ErrUnavailable, "without kubectl")
	program(`read line; echo "$line $*"`)
	got, err := kubectl(t.Context(), "lab", []byte("kind: Job\n"), "create", "--filename=-")
	if err != nil || got != "kind: Job create --filename=- --namespace=lab" {
		t.Errorf("%q, %v", got, err)
	}
	for _, test := range []struct{ w, x, want string }{
		{"", "", ""}, {"", "x|||", "4-9"}, {"", "x|0,2-3||", "5,8-9"}, {"", "x|0-2|5|Suspended", "7-8"},
		{"", "x||0-5|FailureTarget Failed", ""}, {"", "x|0-5||SuccessCriteriaMet Complete", ""},
		{"w|1|2-3|", "x||4|", "0,4-7,9"},
	} {
		program(`case "$*" in 'get job w '*) echo '` + test.w + `' ;;
		'get job x --ignore-not-found '*'--namespace=lab') echo '` + test.x + `' ;; esac`)
		if got, err := queued(); err != nil || got != test.want {
			t.Errorf("%+v: tasks %s, %v", test, got, err)
		}
	}
	for body, want := range map[string]string{
		"echo 'The connection was refused' >&2; exit 1": "kubectl get: The connection was refused",
		"echo x": "not four fields", "echo 'x|a||'": "not a list",
	} {
		program(body)
		expect.Fails(t, expect.Err(queued()), want, body)
	}
}

// containerfile returns the stages of the Containerfile, each from its FROM on, without comments, one instruction per
// line.
func containerfile(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "Containerfile"))
	expect.OK(t, err)
	joined := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(strings.ReplaceAll(string(text), "\\\n", " "), "")
	return strings.Split(joined, "\nFROM ")[1:]
}

var source = filepath.Join("..", "..", "..", "..")

// The build stages' commands, run in a folder instead of the image, give a program that opens its shim without cache
// folder or variables. The test compiles the shim, so it runs only on request.
func TestContainerfileBuilds(t *testing.T) {
	if os.Getenv("LOSSCORR_TEST_IMAGE") == "" {
		t.Skip("runs with LOSSCORR_TEST_IMAGE=1, as make -f .ci/checks.mk test-image sets it: it compiles the shim")
	}
	root := t.TempDir()
	inside := strings.NewReplacer("/opt/losscorr", root+"/opt", "/tmp/shim", root+"/shim", "${SETUP}", "",
		"${REVISION}", "0123456789ab")
	ran := 0
	for k, stage := range containerfile(t)[:2] {
		for _, run := range regexp.MustCompile(`(?m)^RUN (.*)$`).FindAllStringSubmatch(stage, -1) {
			if strings.HasPrefix(run[1], "apt-get ") {
				continue
			}
			cmd := exec.Command("sh", "-euc", inside.Replace(run[1]))
			cmd.Dir = []string{source, root}[k] // only the first stage copies the sources
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", run[0], err, out)
			}
			ran++
		}
	}
	if ran != 3 {
		t.Errorf("%d commands ran, want download, build and setup", ran)
	}
	for word, want := range map[string]string{"doctor": root + "/opt/liblosscorr_shim.so", "version": "0123456789ab"} {
		cmd := exec.Command(root+"/opt/losscorr", word)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir, "XDG_CACHE_HOME=" + cmd.Dir + "/cache", "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s in the image: %v, want %s in\n%s", word, err, want, out)
		}
	}
}
