package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/cluster"
	"github.com/losscorr/losscorr/store"
)

func ExampleJob_Manifest() {
	j := Job{
		Site: Site{Image: "registry.example.org/losscorr:0.1.0", Claim: "runs", GPUs: 1, Path: "mnist"},
		Name: JobName("runs/mnist", "0123456789abcdef", 0), Tasks: 200, Pack: 1, Args: []string{"--device", "cuda"},
	}
	text, err := j.Manifest()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(strings.SplitAfter(string(text), "\n")[:4], ""))
	// Output:
	// apiVersion: batch/v1
	// kind: Job
	// metadata:
	//   name: losscorr-runs-mnist-01234567
}

// testdata holds a manifest of the least settings and one of all, with values that YAML
// might read as something else.
func TestManifest(t *testing.T) {
	least := Job{Site: Site{Image: "registry.example.org/losscorr:0.1.0", Claim: "runs", Path: "mnist"}, Name: "losscorr-mnist-0123abcd", Tasks: 200, Pack: 1}
	full := Job{
		Site: Site{
			Image: "registry.example.org/losscorr:0.1.0", Claim: "runs", Path: "a b/it's: #1", Namespace: "research", DataClaim: "data",
			CPU: "500m", Memory: "8Gi", GPUs: 1, GPUResource: "amd.com/gpu", Parallelism: 3, Retries: 5, Grace: 60, User: 2000, Group: 3000,
			ServiceAccount: "trainer", PriorityClass: "low", ImagePullSecrets: []string{"pull"},
			NodeSelector: map[string]string{"gpu": "true", "pool": "on", "zone": "1"},
			Tolerations:  []Toleration{{Key: "nvidia.com/gpu", Operator: "Exists", Effect: "NoSchedule"}},
			Env:          map[string]string{"A": "no", "B": "12:30:00", "C": "012", "D": "", "E": "line\nline"},
		},
		Name: "losscorr-it-s-100-11111111-3", First: 7, Tasks: 200, Pack: 4, Plan: "1234",
		Args: []string{"--device", "cuda", "--max-bad", "3", "$(HOME)", "yes", "1e3", "0x1f", "~"},
	}
	for name, j := range map[string]Job{"least.yaml": least, "full.yaml": full} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := j.Manifest()
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	good := Job{Site: Site{Image: "i", Claim: "c", Path: "p"}, Name: "n", Tasks: 1, Pack: 1}
	if _, err := good.Manifest(); err != nil {
		t.Fatal(err)
	}
	for want, breakIt := range map[string]func(*Job){
		"no image":            func(s *Job) { s.Site.Image = "" },
		`image "a b"`:         func(s *Job) { s.Site.Image = "a b" },
		"no claim":            func(s *Job) { s.Site.Claim = "" },
		"ReadWriteMany":       func(s *Job) { s.Site.Claim = "" },
		`claim "A"`:           func(s *Job) { s.Site.Claim = "A" },
		`memory "8 GB"`:       func(s *Job) { s.Site.Memory = "8 GB" },
		`cpu "two"`:           func(s *Job) { s.Site.CPU = "two" },
		"gpus -1 is negative": func(s *Job) { s.Site.GPUs = -1 },
		`env "1A"`:            func(s *Job) { s.Site.Env = map[string]string{"1A": ""} },
		`"LOSSCORR_INDEX"`:    func(s *Job) { s.Site.Env = map[string]string{"LOSSCORR_INDEX": "1"} },
		`path "/p"`:           func(s *Job) { s.Path = "/p" },
		`path "../p"`:         func(s *Job) { s.Path = "../p" },
		`path "a/../b"`:       func(s *Job) { s.Path = "a/../b" },
		`job name "Big"`:      func(s *Job) { s.Name = "Big" },
		"make no job":         func(s *Job) { s.Tasks = 0 },
		`priority class "_"`:  func(s *Job) { s.Site.PriorityClass = "_" },
	} {
		s := good
		breakIt(&s)
		if _, err := s.Manifest(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestJobName(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	seen := map[string]bool{}
	for _, folder := range []string{"mnist", "MNIST 100%", "", "---", strings.Repeat("x-", 60)} {
		for _, before := range []int{0, 1, 99} {
			name := JobName(folder, "0123456789abcdef", before)
			if !form.MatchString(name) || len(name) > maxName {
				t.Errorf("%q, %d: %q", folder, before, name)
			}
			seen[name] = true
		}
	}
	if len(seen) != 4*3 { // two of the folders have no letters at all
		t.Errorf("%d names: %v", len(seen), seen)
	}
}

func TestLoadSite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	load := func(text string) (Site, error) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var s Site
		err := cluster.LoadSite(file, &s)
		return s, err
	}
	s, err := load("image: i\nclaim: c\nmemory: 8Gi\nnode_selector: {pool: gpu}\ntolerations: [{key: nvidia.com/gpu, operator: Exists}]\n")
	if err != nil || s.Memory != "8Gi" || s.NodeSelector["pool"] != "gpu" || len(s.Tolerations) != 1 || s.Tolerations[0].Operator != "Exists" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"imge: i", "gpus: many", "node_selector: [a]"} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), "site.yaml") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := cluster.LoadSite(file+"x", new(Site)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestKubectl(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	list := []cluster.Job{{ID: "w"}, {ID: "x", Namespace: "lab", Tasks: "4-9", Offset: 4}}
	queued := func() (string, error) {
		got, err := new(Site).Queued(context.Background(), list)
		var tasks []int
		for _, q := range got {
			if q.Job.ID != "x" || q.State != "active" {
				t.Errorf("%+v", q)
			}
			tasks = append(tasks, q.Task)
		}
		return cluster.Ranges(tasks), err
	}
	if _, err := queued(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without kubectl: %v", err)
	}
	program := func(body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program(`read line; echo "$line $*"`)
	if got, err := kubectl(context.Background(), "lab", []byte("kind: Job\n"), "create", "--filename=-"); err != nil || got != "kind: Job create --filename=- --namespace=lab" {
		t.Errorf("%q, %v", got, err)
	}
	for printed, want := range map[string]string{
		"": "", "x|||": "4-9", "x|0,2-3||": "5,8-9", "x|0-2|5|Suspended": "7-8",
		"x||0-5|FailureTarget Failed": "", "x|0-5||SuccessCriteriaMet Complete": "",
	} {
		program(`case "$*" in 'get job x --ignore-not-found '*'--namespace=lab') echo '` + printed + `' ;; esac`)
		if got, err := queued(); err != nil || got != want {
			t.Errorf("%q: tasks %s, %v, want %s", printed, got, err, want)
		}
	}
	for body, want := range map[string]string{
		"echo 'The connection was refused' >&2; exit 1": "kubectl get: The connection was refused", "echo x": "not four fields", "echo 'x|a||'": "not a list",
	} {
		program(body)
		if _, err := queued(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
