package slurm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/store"
)

// No index of an array reaches Slurm's MaxArraySize: further tasks get arrays of their own, with an offset.
func TestChunks(t *testing.T) {
	count := func(n int) (out []int) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	for _, tt := range []struct {
		tasks []int
		size  int
		want  string // offset and indices
	}{
		{nil, 5, ""},
		{[]int{0, 1, 4}, 5, "0+0-1,4"},
		{[]int{0, 5}, 5, "0+0 5+0"}, // the size itself is out of range
		{count(25), 10, "0+0-9 10+0-9 20+0-4"},
		{[]int{3, 8, 13, 14, 40}, 10, "3+0,5 13+0-1 40+0"},
		{count(1002), 1001, "0+0-1000 1001+0"}, // Slurm's own size
	} {
		var got []string
		for _, c := range chunks(tt.tasks, tt.size) {
			got = append(got, fmt.Sprintf("%d+%s", c.offset, c.indices()))
		}
		expect.Same(t, tt.want, strings.Join(got, " "), "arrays")
	}
}

const wantScript = `#!/bin/bash
# One task of the plan; submitted as an array, with --offset if there are several.
# Written by losscorr grid submit slurm, which overwrites it.
#SBATCH --job-name=losscorr-it_s__a___
#SBATCH --output="/p q/it's \"a\" %%/logs/%A_%a.out"
#SBATCH --open-mode=append
#SBATCH --chdir=/
#SBATCH --no-requeue
#SBATCH --signal=B:USR1@60
#SBATCH --partition=gpu
#SBATCH --time=1-12
#SBATCH --gres=gpu:a100:1
#SBATCH --mem=8G
#SBATCH --mail-type=END
#SBATCH --nice

trap 'echo "losscorr: the setup failed with status $?: $BASH_COMMAND" >&2; exit 1' ERR
module load cuda
trap - ERR
exec /opt/losscorr grid exec --plan '/p q/it'\''s "a" %/plan.json' --pack 2 --device cuda --index "$SLURM_ARRAY_TASK_ID" "$@"
`

// The script contains all settings, quoted for Slurm and for the shell.
func TestScript(t *testing.T) {
	t.Chdir("/")
	s := Site{
		Partition: "gpu", Time: "1-12", GPUs: "a100:1", Signal: 60, NoRequeue: true, Program: "/opt/losscorr",
		Mem: "8G", Setup: []string{"module load cuda"}, Extra: []string{"--mail-type=END",
			"#SBATCH --nice"},
	}
	sub := cluster.Submission{Dir: `/p q/it's "a" %`, Pack: 2, Args: []string{"--device", "cuda"}}
	_, text, err := s.script(&sub)
	expect.OK(t, err)
	expect.Same(t, wantScript, text, "script")
	s.Signal, s.NoRequeue, s.Program = 0, false, ""
	_, text, err = s.script(&sub)
	if err != nil || !strings.Contains(text, "--requeue\n#SBATCH --signal=B:USR1@120\n") ||
		!strings.Contains(text, "exec "+os.Args[0]) {
		t.Errorf("by default: %v\n%s", err, text)
	}
	sub.Dir = "/back\\slash"
	var wrong *cluster.SiteError
	if _, _, err := s.script(&sub); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "backslash") {
		t.Errorf("a backslash: %v", err)
	}
}

// Needed tasks come first, then the others. Arrays run one after the other, so a limit for each array
// is a limit for all.
func TestCalls(t *testing.T) {
	for _, test := range []struct {
		site  Site
		tasks cluster.Tasks
		want  []string
	}{
		{Site{}, cluster.Tasks{First: []int{0, 1, 2}, Rest: []int{3, 4, 5, 6}}, []string{
			"job1=$(sbatch --parsable --array=0-2 /p/slurm/task.sh --offset 0)",
			"job2=$(sbatch --parsable --array=0-2 --dependency=afterany:$job1 /p/slurm/task.sh --offset 3)",
			"job3=$(sbatch --parsable --array=0 --dependency=afterany:$job1 /p/slurm/task.sh --offset 6)",
		}},
		{Site{MaxParallel: 2}, cluster.Tasks{Rest: []int{3, 4, 5, 6}}, []string{
			"job1=$(sbatch --parsable --array=0-2%2 /p/slurm/task.sh --offset 3)",
			"job2=$(sbatch --parsable --array=0%2 --dependency=afterany:$job1 /p/slurm/task.sh --offset 6)",
		}},
	} {
		var b strings.Builder
		expect.OK(t, show(&b, "/p/slurm/task.sh", "", test.site.calls(test.tasks, 3)))
		expect.Same(t, test.want, regexp.MustCompile(`(?m)^job.*$`).FindAllString(b.String(), -1), "calls")
	}
}

// programs puts a folder at the front of the PATH and returns it, with a function that writes shell scripts into it to
// replace Slurm's programs.
func programs(t *testing.T) (bin string, program func(name, body string)) {
	t.Helper()
	bin = t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	return bin, func(name, body string) {
		expect.OK(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
}

// After an error, the record has the jobs submitted before it.
func TestSubmitFails(t *testing.T) {
	dir := t.TempDir()
	_, program := programs(t)
	program("squeue", "exit 0")
	program("sbatch", `case "$*" in *offset\ 0*) echo '41;cluster' ;; `+
		`*) echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1 ;; esac`)
	configs := make([]config.Config, 4)
	for i := range configs {
		configs[i] = config.Config{Dataset: "mnist", Loss: "forward", Seed: uint64(i)}
	}
	file := store.Freeze(store.NewPlan(configs), "1")
	submit := func() error {
		sub := &cluster.Submission{Plan: file, Dir: dir, Pack: 1, Stdout: io.Discard, Stderr: io.Discard}
		return cluster.Submit(t.Context(), &Site{MaxArraySize: 2}, sub)
	}
	expect.Fails(t, submit(), "QOSMaxSubmitJobPerUserLimit; submitted before: 41; grid submit slurm --rest", "a limit")
	kept, err := cluster.Load(dir)
	if err != nil || len(kept.Jobs) != 1 {
		t.Fatalf("the record is %+v, %v", kept, err)
	}
	expect.Same(t, []string{"slurm", "41", "0-1", "1"}, []string{kept.Jobs[0].Cluster, kept.Jobs[0].ID, kept.Jobs[0].Tasks,
		fmt.Sprint(kept.Jobs[0].Pack)}, "job")

	program("sbatch", "echo Submitted batch job 5")
	expect.Fails(t, submit(), "not a job number", "strange output")
	t.Setenv("PATH", t.TempDir())
	for _, missing := range []string{"squeue", "sbatch"} { // squeue is skipped if nothing was submitted
		err := submit()
		expect.Fails(t, err, missing+" is not on the PATH; submit where", "without Slurm")
		expect.Fails(t, err, "", store.ErrUnavailable, "without Slurm")
		_ = os.Remove(filepath.Join(dir, cluster.RecordName)) // already gone the second time
	}
}

// The queue is read by task, and is empty once Slurm has forgotten the jobs.
func TestQueue(t *testing.T) {
	_, program := programs(t)
	program("squeue", `printf '7|3|RUNNING|None\n7|4|PENDING|Resources\n9|N/A|PENDING|Dependency\n8|0|RUNNING|None\n'`)
	list := []cluster.Job{{ID: "7", Offset: 10, Pack: 2}, {ID: "9"}}
	got, err := new(Site).Queued(t.Context(), list)
	expect.OK(t, err)
	expect.Same(t, []cluster.Queued{
		{Job: list[0], Task: 13, State: "running"}, {Job: list[0], Task: 14, State: "pending (Resources)"},
		{Job: list[1], Task: -1, State: "pending (Dependency)"},
	}, got, "queue")

	program("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
	if got, err := new(Site).Queued(t.Context(), list); err != nil || len(got) > 0 {
		t.Errorf("jobs that ended long ago: %v, %v", got, err)
	}
	program("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
	_, err = new(Site).Queued(t.Context(), list)
	expect.Fails(t, err, "Unable to contact", "no controller")
}

// A cluster without arrays, or one that does not report their maximum size, is refused.
func TestMaxArraySize(t *testing.T) {
	_, program := programs(t)
	for text, want := range map[string]int{
		"MaxArraySize            = 1001": 1001, "MaxArraySize = 0": 0, "Other = 1": 0, "MaxArraySize = many": 0,
	} {
		program("scontrol", "echo Configuration data; echo '"+text+"'")
		got, err := maxArraySize(t.Context())
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
}

// A task asks Slurm to requeue it by number, even after Slurm's TERM; outside Slurm this does nothing.
func TestRequeue(t *testing.T) {
	bin, program := programs(t)
	asked := filepath.Join(bin, "asked")
	program("scontrol", `echo "$*" > `+asked)
	ended, cancel := context.WithCancel(t.Context())
	cancel() // by Slurm's TERM
	for _, tt := range []struct{ job, array, index, want string }{
		{"", "", "", ""}, {"12", "", "", "requeue 12"}, {"12", "10", "3", "requeue 10_3"}, {"12", "", "3", "requeue 12"},
	} {
		t.Setenv("SLURM_JOB_ID", tt.job)
		t.Setenv("SLURM_ARRAY_JOB_ID", tt.array)
		t.Setenv("SLURM_ARRAY_TASK_ID", tt.index)
		if err := new(Site).Requeue(ended); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
		if got, err := os.ReadFile(asked); strings.TrimSpace(string(got)) != tt.want {
			t.Errorf("%+v: asked %q, %v", tt, got, err)
		}
	}
	program("scontrol", "echo 'Requested operation is presently disabled for job 12' >&2; exit 1")
	expect.Fails(t, new(Site).Requeue(ended), "scontrol requeue 12: Requested operation is presently disabled", "refused")
}

// A task whose setup fails reports the failed command and does not start the program.
func TestSetupFails(t *testing.T) {
	for setup, want := range map[string]string{
		"no-such-module load cuda": "the setup failed with status 127: no-such-module load cuda", "true": "grid exec --plan",
	} {
		s := Site{Program: "/bin/echo", Setup: []string{"export A=b", setup}}
		_, text, err := s.script(&cluster.Submission{Dir: "/p", Pack: 1})
		expect.OK(t, err)
		out, err := exec.Command("bash", "-c", text).CombinedOutput()
		started := strings.Contains(string(out), "grid exec")
		if started != (setup == "true") || started != (err == nil) || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", setup, err, want, out)
		}
	}
}

// load reads a site file.
func load(t *testing.T, text string) (s Site, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.yaml")
	expect.OK(t, os.WriteFile(file, []byte(text), 0o644))
	return s, cluster.LoadSite(file, &s)
}

// A site file sets its keys; a wrong key or value is a *SiteError that suggests the right one.
func TestLoadSite(t *testing.T) {
	got, err := load(t, "partition: gpu\ntime: 12:00:00\ngpus: 1\ncpus: 4\nmem: 8G\nsignal: 90\nno_requeue: true\n"+
		"max_parallel: 20\nsetup:\n- module load cuda\nextra: [--mail-type=END, -L matlab]\n")
	expect.OK(t, err)
	expect.Same(t, Site{
		Partition: "gpu", Time: "12:00:00", GPUs: "1", CPUs: "4", Mem: "8G", Signal: 90, NoRequeue: true,
		MaxParallel: 20, Setup: []string{"module load cuda"}, Extra: []string{"--mail-type=END", "-L matlab"},
	}, got, "site")

	if got, err := load(t, "\n"); err != nil || !cmp.Equal(got, Site{}) {
		t.Errorf("an empty file: %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"time: 90\npartiton: gpu":     "line 2: unknown key partiton; docs/clusters.md lists the keys",
		"partition: [a]":              "site.yaml",
		"partition: 'gpu; rm'":        `partition "gpu; rm" is not valid; an example is gpu`,
		"time: tomorrow":              "time",
		"gpus: -1":                    "gpus",
		"mem: much":                   "8G",
		"signal: -5":                  "negative",
		"setup: [\"a\\nb\"]":          "more than one line",
		"extra: [mail]":               "not an sbatch option",
		"extra: [--array=1-3]":        "losscorr sets that option itself",
		"extra: ['#SBATCH -o x.out']": "losscorr sets that option itself",
	} {
		_, err := load(t, text)
		expect.Fails(t, err, want, text)
		if wrong := new(cluster.SiteError); !errors.As(err, &wrong) {
			t.Errorf("%s: %v, want a *SiteError", text, err)
		}
	}
	expect.Fails(t, cluster.LoadSite(filepath.Join(t.TempDir(), "none"), new(Site)), "", os.ErrNotExist, "no file")
}

// Memory and time are accepted in all forms that sbatch users write, although sbatch reads only whole numbers.
func TestMemoryAndTime(t *testing.T) {
	for given, want := range map[string]string{
		"mem: 8g": "--mem=8g", "mem: 64GB": "--mem=64GB", "mem: 8000": "--mem=8000", "mem: 0": "--mem=0",
		"mem: 1.5G": "--mem=1536M", "mem: 0.5t": "--mem=512G", "mem: 1.5": "--mem=1536K", "mem: 1.5K": "--mem=2K",
		"time: UNLIMITED": "--time=UNLIMITED", "time: infinite": "--time=infinite", "time: 1-00:00:00": "--time=1-00:00:00",
		"mem: G": "", "mem: 1.G": "", "mem: 8X": "", "time: never": "", "time: UNLIMITED1": "",
	} {
		s, err := load(t, given)
		if (err == nil) != (want != "") || want != "" && strings.Join(s.directives(), " ") != want {
			t.Errorf("%s: %q, %v, want %q", given, s.directives(), err, want)
		}
	}
}
