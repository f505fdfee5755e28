package kubernetes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/store"
)

// testdata holds a manifest of the least settings and one of all, with values that YAML
// might read as something else.
func TestManifest(t *testing.T) {
	least := job{Site: Site{Image: "registry.example.org/losscorr:0.1.0", Claim: "runs", Path: "mnist"}, Name: "losscorr-mnist-0123abcd", Tasks: 200, Pack: 1}
	full := job{
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
	for name, j := range map[string]job{"least.yaml": least, "full.yaml": full} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := j.manifest()
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	good := Site{Image: "i", Claim: "c"}
	if err := cluster.Validate(&good); err != nil {
		t.Fatal(err)
	}
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
		`priority class "_"`:  func(s *Site) { s.PriorityClass = "_" },
	} {
		s := good
		breakIt(&s)
		if err := cluster.Validate(&s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for path, ok := range map[string]bool{"p": true, "a/b": true, "": false, "/p": false, "../p": false, "a/../b": false, "..": false, "a\nb": false} {
		if err := checkPath(path); (err == nil) != ok {
			t.Errorf("path %q: %v", path, err)
		}
	}
}

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
		return humanize.Ranges(tasks), err
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
	// Tasks that fail are submitted again while others of an earlier Job still run: both count.
	program(`case "$*" in 'get job w '*) echo 'w|1|2-3|' ;; 'get job x '*) echo 'x||4|' ;; esac`)
	list[0].Tasks = "0-3"
	got, err := new(Site).Queued(context.Background(), list)
	var tasks []int
	for _, q := range got {
		tasks = append(tasks, q.Task)
	}
	if err != nil || !slices.Equal(tasks, []int{0, 4, 5, 6, 7, 9}) {
		t.Errorf("tasks %v of two jobs, %v", tasks, err)
	}
	list[0].Tasks = ""
	for body, want := range map[string]string{
		"echo 'The connection was refused' >&2; exit 1": "kubectl get: The connection was refused", "echo x": "not four fields", "echo 'x|a||'": "not a list",
	} {
		program(body)
		if _, err := queued(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// A Job has no task that is queued in another.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		tasks, queued []int
		want          []span
	}{
		{[]int{0, 1, 2}, nil, []span{{0, 2}}},
		{[]int{2, 7}, nil, []span{{2, 7}}},
		{[]int{2, 7}, []int{3, 4, 5, 6}, []span{{2, 2}, {7, 7}}},
		{[]int{1, 2, 2, 5, 9}, []int{0, 4, 10}, []span{{1, 2}, {5, 9}}},
		{[]int{1, 2, 3}, []int{2}, []span{{1, 3}}}, // all are asked for again (--force)
	} {
		if got := spans(c.tasks, c.queued); !slices.Equal(got, c.want) {
			t.Errorf("%v, queued %v: %v, want %v", c.tasks, c.queued, got, c.want)
		}
	}
}
