package command

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// What a tensor operation panics with fails its run, by name, and no other: the
// others train on. Its scope is ended with it.
func TestTensorErrorFailsItsRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range realVars(t, dir) {
		t.Setenv(name, text)
	}
	writeDigits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	file := filepath.Join(dir, "c.yaml")
	write(t, file, []byte("dataset: mnist\nepochs: 1\n"))

	var stale torch.Tensor
	wrong := map[uint64]func(){
		2: func() { torch.Zeros(torch.Options{}, 2, 3).Mm(torch.Zeros(torch.Options{}, 2, 3)) },
		3: func() {
			torch.Scope(func() { stale = torch.Zeros(torch.Options{}, 2) })
			stale.Add(stale)
		},
	}
	live := -1
	p := Default()
	p.Stdout, p.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	p.Pipeline = failing{p.Pipeline, func(job *store.Job) {
		if f := wrong[job.Config.Seed]; f != nil {
			before := torch.Live()
			defer func() { live = torch.Live() - before }()
			torch.Scope(f)
		}
	}}
	out := filepath.Join(dir, "runs")
	for _, tt := range []struct {
		seeds string
		code  int
	}{{"2", app.ExitFailed}, {"1-4", app.ExitGridFailed}} {
		if got := p.Main([]string{"losscorr", "train", file, "--out", out, "--seeds", tt.seeds, "--workers", "1"}); got != tt.code {
			t.Errorf("seeds %s: exit code %d, want %d", tt.seeds, got, tt.code)
		}
	}
	if live != 0 {
		t.Errorf("%d tensors left behind by a failed run", live)
	}
	states := map[uint64]store.Status{}
	logs := map[uint64]string{}
	found, err := filepath.Glob(filepath.Join(out, "*", store.StatusFile))
	if err != nil || len(found) != 4 {
		t.Fatalf("%d runs, %v; want 4", len(found), err)
	}
	for _, path := range found {
		folder, err := store.Open(out, filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		c, err := folder.Config()
		if err != nil {
			t.Fatal(err)
		}
		if states[c.Seed], err = folder.Status(); err != nil {
			t.Fatal(err)
		}
		logs[c.Seed] = string(read(t, folder.Path(store.LogFile)))
	}
	for seed, want := range map[uint64]string{
		2: "torch: mm [2 3] float32 cpu, [2 3] float32 cpu: ",
		3: "tensor used after its scope ended",
	} {
		if s := states[seed]; s.State != store.Failed || !strings.Contains(s.Error, want) {
			t.Errorf("seed %d is %s with %q, want failed with %q", seed, s.State, s.Error, want)
		}
		contains(t, "the log", logs[seed], want, "failure_test.go")
	}
	for _, seed := range []uint64{1, 4} {
		if s := states[seed]; s.State != store.Done || s.Error != "" {
			t.Errorf("seed %d is %s with %q, want done", seed, s.State, s.Error)
		}
	}
}

// failing is a pipeline whose runs do something before they train.
type failing struct {
	app.Pipeline
	before func(*store.Job)
}

func (f failing) Execute(ctx context.Context, job *store.Job) (store.Result, error) {
	f.before(job)
	return f.Pipeline.Execute(ctx, job)
}

// Help needs no libtorch, and the program links none.
func TestHelpNeedsNoLibtorch(t *testing.T) {
	exe := buildProgram(t, "cmd/losscorr")
	cmd := exec.Command(exe, "--help")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"HOME=" + t.TempDir(), "PATH=", "LOSSCORR_SHIM=nowhere"}
	if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("doctor")) {
		t.Fatalf("%v\n%s", err, out)
	}
	ldd, err := exec.LookPath("ldd")
	if err != nil {
		t.Skip("there is no ldd here")
	}
	out, err := exec.Command(ldd, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch base := filepath.Base(name); {
		case strings.HasPrefix(base, "linux-vdso"), strings.HasPrefix(base, "ld-linux"), strings.HasPrefix(base, "ld-musl"):
		case strings.HasPrefix(base, "libc.so"), strings.HasPrefix(base, "libc.musl"), strings.HasPrefix(base, "libdl.so"),
			strings.HasPrefix(base, "libpthread.so"):
		default:
			t.Errorf("links %s", name)
		}
	}
}

// buildProgram compiles the main in a folder of the module.
func buildProgram(t *testing.T, folder string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), path.Base(folder))
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/losscorr/losscorr/"+folder).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// The program alone in an empty folder with an empty cache, and LIBTORCH, is an
// installation: it compiles its shim, finds it again, and trains, also where the compiler is
// told to link libstdc++ statically: the shim has the copy that libtorch has. It takes the
// compiler a minute or two, so it runs where LOSSCORR_SLOW is set.
func TestLoneProgram(t *testing.T) {
	if os.Getenv("LOSSCORR_SLOW") == "" {
		t.Skip("set LOSSCORR_SLOW=1 to compile a shim")
	}
	dir := t.TempDir()
	vars := realVars(t, dir)
	vars["LIBTORCH"] = shimLibtorch(t, vars["LOSSCORR_SHIM"])
	exe := buildProgram(t, "cmd/losscorr")
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\nepochs: 1\n"))
	delete(vars, "LOSSCORR_SHIM")
	delete(vars, "LOSSCORR_DATA")
	if runtime.GOOS == "linux" {
		vars["LDFLAGS"] = "-static-libstdc++"
	}

	startProgram(t, exe, dir, vars, "doctor").ends(t, app.ExitUnavailable)
	p := startProgram(t, exe, dir, vars, "setup")
	p.ends(t, 0)
	shim := strings.TrimSpace(p.out.String())
	if !strings.HasPrefix(shim, filepath.Join(dir, "cache")) {
		t.Errorf("the shim is %s, want it in the cache", shim)
	}
	sharesRuntime(t, shim)
	before := modified(t, shim)
	startProgram(t, exe, dir, vars, "setup").ends(t, 0)
	if !modified(t, shim).Equal(before) {
		t.Error("a second set-up compiles again")
	}
	p = startProgram(t, exe, dir, vars, "doctor", "--json")
	p.ends(t, 0)
	var report struct {
		Shim struct{ Path string }
		Data []struct{ Train int }
	}
	err := json.Unmarshal(p.out.Bytes(), &report)
	mnist := slices.ContainsFunc(report.Data, func(d struct{ Train int }) bool { return d.Train == 60000 })
	if err != nil || report.Shim.Path != shim || !mnist {
		t.Errorf("doctor: %v, %+v; want %s and MNIST", err, report, shim)
	}
	p = startProgram(t, exe, dir, vars, "train", "c.yaml")
	p.ends(t, 0)
	if _, err := os.Stat(filepath.Join(dir, "runs", "c", "table.csv")); errors.Is(err, fs.ErrNotExist) {
		t.Error("no table was left")
	}
}

// sharesRuntime fails the test if a shim of Linux has functions of the C++ library of its own.
func sharesRuntime(t *testing.T, shim string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	f, err := elf.Open(shim)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil || !slices.Contains(needed, "libstdc++.so.6") {
		t.Errorf("%s needs %v, want libstdc++.so.6 too (%v)", shim, needed, err)
	}
}

// With a shim beside losscorr, setup still makes the one that other programs find: here the
// other program is a losscorr in another folder.
func TestSetupServesOtherPrograms(t *testing.T) {
	dir := t.TempDir()
	vars := realVars(t, dir)
	shim := vars["LOSSCORR_SHIM"]
	vars["LIBTORCH"] = shimLibtorch(t, shim)
	vars["LOSSCORR_SHIM"] = ""
	exe := buildProgram(t, "cmd/losscorr")
	other := filepath.Join(makeSub(t, dir, "other"), "program")
	write(t, other, read(t, exe))
	if err := os.Chmod(other, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"liblosscorr_shim.so", "liblosscorr_shim.txt"} {
		write(t, filepath.Join(filepath.Dir(exe), name), read(t, filepath.Join(filepath.Dir(shim), name)))
	}
	write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
	p := startProgram(t, other, dir, vars, "train", "c.yaml")
	p.ends(t, app.ExitUnavailable)
	contains(t, "the other program's advice", p.out.String()+p.err.String(), "go run github.com/losscorr/losscorr/cmd/losscorr setup")
	p = startProgram(t, exe, dir, vars, "setup")
	p.ends(t, 0)
	made := strings.TrimSpace(p.out.String())
	if !strings.HasPrefix(made, filepath.Join(dir, "cache")) {
		t.Fatalf("setup names %s, want what it made in the cache\n%s", made, p.err.String())
	}
	p = startProgram(t, other, dir, vars, "doctor", "--json")
	p.ends(t, 0)
	contains(t, "what the other program finds", p.out.String(), made)
	before := modified(t, made)
	startProgram(t, exe, dir, vars, "setup").ends(t, 0)
	if !modified(t, made).Equal(before) {
		t.Error("a second set-up makes it again")
	}
}

func makeSub(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	makeFolder(t, path)
	return path
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// shimLibtorch is the libtorch that a shim was built for.
func shimLibtorch(t *testing.T, shim string) string {
	t.Helper()
	notes := string(read(t, strings.TrimSuffix(shim, ".so")+".txt"))
	for line := range strings.Lines(notes) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "libtorch="); ok {
			return dir
		}
	}
	t.Fatalf("no libtorch in %s", notes)
	return ""
}
