package slurm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/store"
)

func TestChunks(t *testing.T) {
	type part struct {
		Offset  int
		Indices string
	}
	count := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	for _, tt := range []struct {
		name  string
		tasks []int
		size  int
		want  []part
	}{
		{"none", nil, 5, nil},
		{"all fit", []int{0, 1, 4}, 5, []part{{0, "0-1,4"}}},
		{"the size itself is no index", []int{0, 5}, 5, []part{{0, "0"}, {5, "0"}}},
		{"many", count(25), 10, []part{{0, "0-9"}, {10, "0-9"}, {20, "0-4"}}},
		{"gaps", []int{3, 8, 13, 14, 40}, 10, []part{{3, "0,5"}, {13, "0-1"}, {40, "0"}}},
		{"Slurm's own size", count(1002), 1001, []part{{0, "0-1000"}, {1001, "0"}}},
	} {
		var got []part
		seen := 0
		for _, c := range chunks(tt.tasks, tt.size) {
			got = append(got, part{c.offset, c.indices()})
			seen += len(c.tasks)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || seen != len(tt.tasks) {
			t.Errorf("%s: %d of %d tasks (-want +got):\n%s", tt.name, seen, len(tt.tasks), diff)
		}
	}
}

const wantScript = `#!/bin/bash
# One task of the plan; submitted as an array, with --offset where there are several.
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

const wantReport = `#!/bin/bash
# The tables and figures, after the last task.
# Written by losscorr grid submit slurm, which overwrites it.
#SBATCH --job-name=losscorr-it_s__a___-report
#SBATCH --output="/p q/it's \"a\" %%/logs/report-%j.out"
#SBATCH --open-mode=append
#SBATCH --chdir=/
#SBATCH --partition=cpu
#SBATCH --time=30
#SBATCH --mem=8G
#SBATCH --mail-type=END
#SBATCH --nice

module load cuda
exec /opt/losscorr report '/p q/it'\''s "a" %' --out '/p q/it'\''s "a" %'
`

func TestScripts(t *testing.T) {
	t.Chdir("/")
	s := Site{
		Partition: "gpu", Time: "1-12", GPUs: "a100:1", Signal: 60, AllowRequeue: new(bool), Program: "/opt/losscorr",
		Mem: "8G", ReportPartition: "cpu", Setup: []string{"module load cuda"}, Extra: []string{"--mail-type=END", "#SBATCH --nice"},
	}
	sub := cluster.Submission{Dir: `/p q/it's "a" %`, Pack: 2, Args: []string{"--device", "cuda"}}
	task, report, err := s.scripts(&sub)
	if diff := cmp.Diff(wantScript, task.text); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(wantReport, report.text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Signal, s.AllowRequeue, s.Program = 0, nil, ""
	if task, _, err := s.scripts(&sub); err != nil || !strings.Contains(task.text, "--requeue\n#SBATCH --signal=B:USR1@120\n") || !strings.Contains(task.text, "exec "+os.Args[0]) {
		t.Errorf("by default: %v\n%s", err, task.text)
	}
	s.NoRequeue, sub.Dir = true, "/back\\slash"
	var wrong *cluster.SiteError
	if _, _, err := s.scripts(&sub); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "backslash") {
		t.Errorf("a backslash: %v", err)
	}
	sub.Dir = "/p"
	if task, _, err := s.scripts(&sub); err != nil || !strings.Contains(task.text, "--no-requeue") {
		t.Errorf("--no-requeue: %v\n%s", err, task.text)
	}
}

func TestCalls(t *testing.T) {
	s := Site{}
	tasks := cluster.Tasks{First: []int{0, 1, 2}, Rest: []int{3, 4, 5, 6}}
	lines := func() []string {
		var b bytes.Buffer
		if err := show(&b, s.calls(script{path: "/p/slurm/task.sh"}, script{path: "/p/slurm/report.sh"}, tasks, 3)); err != nil {
			t.Fatal(err)
		}
		var out []string
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "job") {
				out = append(out, strings.TrimSpace(line))
			}
		}
		return out
	}
	want := []string{
		"job1=$(sbatch --parsable --array=0-2 /p/slurm/task.sh --offset 0)",
		"job2=$(sbatch --parsable --array=0-2 --dependency=afterany:$job1 /p/slurm/task.sh --offset 3)",
		"job3=$(sbatch --parsable --array=0 --dependency=afterany:$job1 /p/slurm/task.sh --offset 6)",
		"job4=$(sbatch --parsable --dependency=afterany:$job1:$job2:$job3 /p/slurm/report.sh)",
	}
	if diff := cmp.Diff(want, lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A limit of each array is one of all, since they come one after the other.
	s.MaxParallel, s.NoReport, tasks.First = 2, true, nil
	want = []string{
		"job1=$(sbatch --parsable --array=0-2%2 /p/slurm/task.sh --offset 3)",
		"job2=$(sbatch --parsable --array=0%2 --dependency=afterany:$job1 /p/slurm/task.sh --offset 6)",
	}
	if diff := cmp.Diff(want, lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// program leaves a shell script in place of one of Slurm's programs.
func program(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// plan writes a plan of runs that do not need each other.
func plan(t *testing.T, dir string, runs int) store.PlanFile {
	t.Helper()
	configs := make([]config.Config, runs)
	for i := range configs {
		configs[i] = config.Config{Dataset: "mnist", Loss: "forward", Seed: uint64(i)}
	}
	file := store.Freeze(store.NewPlan(configs), "1", nil, nil)
	if _, err := file.Save(dir, false); err != nil {
		t.Fatal(err)
	}
	return file
}

// An error on the way leaves a record of what was submitted before it.
func TestSubmitFails(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	program(t, bin, "squeue", "exit 0")
	program(t, bin, "sbatch", `case "$*" in *offset\ 0*) echo '41;cluster' ;; *) echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1 ;; esac`)
	s := &Site{MaxArraySize: 2}
	submit := func() error {
		sub := &cluster.Submission{Plan: plan(t, dir, 4), Dir: dir, Pack: 1, Stdout: io.Discard, Stderr: io.Discard}
		return cluster.Submit(context.Background(), s, sub)
	}
	err := submit()
	if err == nil || !strings.Contains(err.Error(), "QOSMaxSubmitJobPerUserLimit; submitted before: 41; grid submit slurm --rest") {
		t.Errorf("the error is %v", err)
	}
	kept, err := cluster.Load(dir)
	if err != nil || len(kept.Jobs) != 1 || kept.Jobs[0].ID != "41" || kept.Jobs[0].Tasks != "0-1" || kept.Jobs[0].Pack != 1 || kept.Jobs[0].Cluster != "slurm" {
		t.Errorf("the record is %+v, %v", kept, err)
	}
	program(t, bin, "sbatch", "echo Submitted batch job 5")
	if err := submit(); err == nil || !strings.Contains(err.Error(), "not the number of a job") {
		t.Errorf("strange output: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := submit(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "squeue is not on the PATH; submit where") {
		t.Errorf("without Slurm: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, cluster.RecordName)); err != nil {
		t.Fatal(err)
	}
	if err := submit(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "sbatch is not on the PATH; submit where") {
		t.Errorf("without Slurm: %v", err)
	}
}

func TestQueue(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	program(t, bin, "squeue", `printf '7|3|RUNNING|None\n7|4|PENDING|Resources\n9|N/A|PENDING|Dependency\n8|0|RUNNING|None\n'`)
	list := []cluster.Job{{ID: "7", Offset: 10, Pack: 2}, {ID: "9", What: cluster.Report}}
	got, err := new(Site).Queued(context.Background(), list)
	want := []cluster.Queued{
		{Job: list[0], Task: 13, State: "running"}, {Job: list[0], Task: 14, State: "pending (Resources)"},
		{Job: list[1], Task: -1, State: "pending (Dependency)"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	program(t, bin, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
	if got, err := new(Site).Queued(context.Background(), list); err != nil || len(got) > 0 {
		t.Errorf("jobs that ended long ago: %v, %v", got, err)
	}
	program(t, bin, "squeue", "echo 'Unable to contact slurm controller' >&2; exit 1")
	if _, err := new(Site).Queued(context.Background(), list); err == nil || !strings.Contains(err.Error(), "Unable to contact") {
		t.Errorf("no controller: %v", err)
	}
}

func TestMaxArraySize(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	for text, want := range map[string]int{"MaxArraySize            = 1001": 1001, "MaxArraySize = 0": 0, "Other = 1": 0, "MaxArraySize = many": 0} {
		program(t, bin, "scontrol", "echo Configuration data; echo '"+text+"'")
		got, err := maxArraySize(context.Background())
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
}

func TestRequeue(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	t.Setenv("SLURM_JOB_ID", "")
	t.Setenv("SLURM_ARRAY_JOB_ID", "")
	program(t, bin, "scontrol", "exit 1")
	if err := new(Site).Requeue(context.Background()); err != nil {
		t.Errorf("outside of Slurm: %v", err)
	}
	asked := filepath.Join(bin, "asked")
	program(t, bin, "scontrol", `echo "$*" > `+asked)
	ended, cancel := context.WithCancel(context.Background())
	cancel() // by Slurm's TERM
	for _, tt := range []struct{ job, array, index, want string }{
		{"12", "", "", "requeue 12\n"}, {"12", "10", "3", "requeue 10_3\n"}, {"12", "", "3", "requeue 12\n"},
	} {
		t.Setenv("SLURM_JOB_ID", tt.job)
		t.Setenv("SLURM_ARRAY_JOB_ID", tt.array)
		t.Setenv("SLURM_ARRAY_TASK_ID", tt.index)
		if err := new(Site).Requeue(ended); err != nil {
			t.Errorf("%+v: %v", tt, err)
		}
		if got, err := os.ReadFile(asked); err != nil || string(got) != tt.want {
			t.Errorf("%+v: asked %q, %v", tt, got, err)
		}
	}
	program(t, bin, "scontrol", "echo 'Requested operation is presently disabled for job 12' >&2; exit 1")
	if err := new(Site).Requeue(ended); err == nil || !strings.Contains(err.Error(), "scontrol requeue 12: Requested operation is presently disabled") {
		t.Errorf("refused: %v", err)
	}
}

// A task whose setup fails ends with what failed, and does not start the program.
func TestSetupFails(t *testing.T) {
	for setup, want := range map[string]string{"no-such-module load cuda": "the setup failed with status 127: no-such-module load cuda", "true": "started"} {
		s := Site{Program: "/bin/echo started", Setup: []string{"export A=b", setup}}
		dir := t.TempDir()
		task, _, err := s.scripts(&cluster.Submission{Dir: dir, Pack: 1})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "task.sh")
		if err := os.WriteFile(path, []byte(strings.Replace(task.text, "exec '/bin/echo started'", "exec /bin/echo started", 1)), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("bash", path).CombinedOutput()
		if failed := want != "started"; failed != (err != nil) || !strings.Contains(string(out), want) || failed && strings.Contains(string(out), "started") {
			t.Errorf("%s: %v, want %q in\n%s", setup, err, want, out)
		}
	}
}
