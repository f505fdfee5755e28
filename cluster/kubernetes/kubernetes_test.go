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
)

func ExampleSubmission_Manifest() {
	s := Submission{
		Site: Site{Image: "registry.example.org/losscorr:0.1.0", Claim: "runs", GPUs: 1},
		Name: JobName("runs/mnist", "0123456789abcdef", 0), Path: "mnist", Tasks: 200, Pack: 1, Args: []string{"--device", "cuda"},
	}
	text, err := s.Manifest()
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

func TestRefused(t *testing.T) {
	good := Submission{Site: Site{Image: "i", Claim: "c"}, Name: "n", Path: "p", Tasks: 1, Pack: 1}
	if _, err := good.Manifest(); err != nil {
		t.Fatal(err)
	}
	for want, breakIt := range map[string]func(*Submission){
		"no image":           func(s *Submission) { s.Site.Image = "" },
		`image "a b"`:        func(s *Submission) { s.Site.Image = "a b" },
		"no claim":           func(s *Submission) { s.Site.Claim = "" },
		"ReadWriteMany":      func(s *Submission) { s.Site.Claim = "" },
		`claim "A"`:          func(s *Submission) { s.Site.Claim = "A" },
		`memory "8 GB"`:      func(s *Submission) { s.Site.Memory = "8 GB" },
		`cpu "two"`:          func(s *Submission) { s.Site.CPU = "two" },
		"0 or more":          func(s *Submission) { s.Site.GPUs = -1 },
		`env "1A"`:           func(s *Submission) { s.Site.Env = map[string]string{"1A": ""} },
		`"LOSSCORR_INDEX"`:   func(s *Submission) { s.Site.Env = map[string]string{"LOSSCORR_INDEX": "1"} },
		`path "/p"`:          func(s *Submission) { s.Path = "/p" },
		`path "../p"`:        func(s *Submission) { s.Path = "../p" },
		`path "a/../b"`:      func(s *Submission) { s.Path = "a/../b" },
		`job name "Big"`:     func(s *Submission) { s.Name = "Big" },
		"make no job":        func(s *Submission) { s.Tasks = 0 },
		`priority class "_"`: func(s *Submission) { s.Site.PriorityClass = "_" },
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
		return LoadSite(file)
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
	if _, err := LoadSite(file + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestKubectl(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	k := Kubectl{Namespace: "lab"}
	if _, err := k.Create(context.Background(), nil); !errors.Is(err, ErrNoKubectl) {
		t.Errorf("without kubectl: %v", err)
	}
	program := func(body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program(`read line; echo "$line $*"`)
	if got, err := k.Create(context.Background(), []byte("kind: Job\n")); err != nil || got != "kind: Job create --filename=- --namespace=lab" {
		t.Errorf("%q, %v", got, err)
	}
	for said, want := range map[string]bool{"": false, "x": true, `x\nSuspended`: true, `x\nFailureTarget\nFailed`: false, `x\nSuccessCriteriaMet\nComplete`: false} {
		program("printf '" + said + "\\n'")
		if got, err := k.Active(context.Background(), "x"); err != nil || got != want {
			t.Errorf("%q: active %v, %v", said, got, err)
		}
	}
	program("echo 'The connection was refused' >&2; exit 1")
	if _, err := k.Active(context.Background(), "x"); err == nil || !strings.Contains(err.Error(), "kubectl get: The connection was refused") {
		t.Errorf("no cluster: %v", err)
	}
}
