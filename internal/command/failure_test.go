package command

import (
	"archive/zip"
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
)

// A panic of a tensor operation fails only its own run, which the error names, and frees
// its tensors; the other runs continue.
func TestTensorErrorFailsItsRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range realVars(t, dir) {
		t.Setenv(name, text)
	}
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	file := filepath.Join(dir, "c.yaml")
	write(t, file, []byte("dataset: mnist\nepochs: 1\n"))
	live := -1
	p := Default()
	p.Stdout, p.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	p.Pipeline = failing{p.Pipeline, func(job *store.Job) {
		if job.Config.Seed == 2 {
			before := torch.Live()
			defer func() { live = torch.Live() - before }()
			torch.Scope(func() { torch.Zeros(torch.Options{}, 2, 3).Mm(torch.Zeros(torch.Options{}, 2, 3)) })
		}
	}}
	out := filepath.Join(dir, "runs")
	code := p.Main([]string{"losscorr", "train", file, "--out", out, "--seeds", "1-3", "--workers", "1"})
	if code != app.ExitGridFailed || live != 0 {
		t.Errorf("exit code %d, %d tensors left behind by a failed run", code, live)
	}
	for _, path := range glob(t, 3, out, "*", store.StatusFile) {
		folder := expect.Got(store.Open(out, filepath.Base(filepath.Dir(path))))(t)
		s, want := expect.Got(folder.Status())(t), store.Done
		if c := expect.Got(folder.Config())(t); c.Seed == 2 {
			want = store.Failed
			const problem = "torch: mm [2 3] float32 cpu, [2 3] float32 cpu: "
			expect.Says(t, s.Error, problem)
			expect.Says(t, string(read(t, folder.Path(store.LogFile))), problem, "failure_test.go")
		}
		if s.State != want {
			t.Errorf("%s is %s with %q, want %s", path, s.State, s.Error, want)
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

// Help needs no libtorch; .ci/run checks that the program links none.
func TestHelpNeedsNoLibtorch(t *testing.T) {
	exe := expect.Got(exec.LookPath("losscorr-real"))(t)
	cmd := exec.Command(exe, "--help")
	cmd.Dir, cmd.Env = t.TempDir(), []string{"HOME=" + t.TempDir(), "PATH=", "LOSSCORR_SHIM=nowhere"}
	if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("doctor")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// built caches the mains compiled by tests.
var built = fixture{fill: func(*testing.T, string) {}}

// buildProgram compiles the main in a folder of the module, once for all tests.
func buildProgram(t *testing.T, folder string) string {
	t.Helper()
	exe := filepath.Join(built.path(t), path.Base(folder))
	built.Lock()
	defer built.Unlock()
	if _, err := os.Stat(exe); err == nil {
		return exe
	}
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/losscorr/losscorr/"+
		folder).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return exe
}

// slow skips a test that takes more than five seconds unless LOSSCORR_SLOW is set.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("LOSSCORR_SLOW") == "" {
		t.Skip("make -f .ci/checks.mk test-slow tests it")
	}
}

// In an empty folder with an empty cache, the program needs only LIBTORCH: it compiles its
// shim, finds it again, and trains. Even if the compiler should link libstdc++ statically,
// the shim uses libtorch's copy.
func TestLoneProgram(t *testing.T) {
	slow(t)
	dir, vars := workplace(t)
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
	startProgram(t, exe, dir, vars, "doctor", "--json").says(t, shim, `"train": 60000`)
	startProgram(t, exe, dir, vars, "train", "c.yaml").ends(t, 0)
	read(t, dir, "runs", "c", "table.csv")
}

// sharesRuntime fails the test if a shim on Linux has its own functions of the C++ library.
func sharesRuntime(t *testing.T, shim string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	f := expect.Got(elf.Open(shim))(t)
	defer f.Close()
	needed, err := f.ImportedLibraries()
	if err != nil || !slices.Contains(needed, "libstdc++.so.6") {
		t.Errorf("%s needs %v, want libstdc++.so.6 too (%v)", shim, needed, err)
	}
}

// shimLibtorch returns the libtorch that a shim was built for.
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

// hostileArchive returns an archive with escape sequences, line ends and formulas in its names.
func hostileArchive(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for c, class := range []string{"=cmd", "+dog", "\x1b[31mred"} {
		for k := range 12 {
			w := expect.Got(z.Create(fmt.Sprintf("%s/-%d\x1b]0;title\a.png", class, k)))(t)
			picture := image.NewGray(image.Rect(0, 0, 8, 8))
			for i := range picture.Pix {
				picture.SetGray(i%8, i/8, color.Gray{Y: uint8(97*c + 13*k + i*(k+1))})
			}
			expect.OK(t, png.Encode(w, picture))
		}
	}
	w := expect.Got(z.Create("=cmd/bad\n\x1b[2Jlosscorr: all is well.png"))(t)
	expect.Got(w.Write([]byte("no image")))(t)
	expect.OK(t, z.Close())
	write(t, path, b.Bytes())
}

// Text from an archive, a status or a table cannot control the terminal or start a line, and
// never makes a formula in a CSV file, and our readers restore the names.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.zip")
	hostileArchive(t, archive)
	call := func(want int, args ...string) string {
		t.Helper()
		var out, diagnostics bytes.Buffer
		p := Default()
		p.Stdout, p.Stderr = &out, &diagnostics
		if code := p.Main(append([]string{"losscorr"}, args...)); code != want {
			t.Errorf("%q: exit code %d, want %d\n%s", args, code, want, diagnostics.String())
		}
		text := out.String() + diagnostics.String()
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }); i >= 0 {
			t.Errorf("%q: a control character in %q", args, text[max(0, i-50):min(len(text), i+50)])
		}
		if strings.Contains(text, "\nlosscorr: all is well") || strings.Contains(text, "\n\\u001b[2Jlosscorr") {
			t.Errorf("%q: a line that the program has not written:\n%s", args, text)
		}
		return text
	}
	expect.Says(t, call(0, "check", archive, "--quiet"), `\u001b[31mred`, `=cmd/bad\u000a\u001b[2J`)
	call(65, "noisify", archive, "--noise", "symmetric:.2", "--quiet")

	noisy := filepath.Join(dir, "noisy.csv")
	call(0, "noisify", archive, "--noise", "symmetric:.2", "--max-bad", "3", "--out", noisy, "--quiet")
	labels, err := own.ReadLabels(noisy)
	if err != nil || len(labels) != 36 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	if label := labels["+dog/-3\x1b]0;title\a.png"]; label != "=cmd" && label != "+dog" && label != "\x1b[31mred" {
		t.Errorf("the names differ from the archive's: %q", labels)
	}
	for line := range strings.Lines(string(read(t, noisy))) {
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ",") {
			if rows.Cell(rows.Original(cell)) != cell {
				t.Errorf("the cell %q is a formula", cell)
			}
		}
	}

	runs := filepath.Join(dir, "runs")
	folder := filepath.Join(runs, "000000000001")
	makeFolder(t, folder)
	write(t, filepath.Join(folder, store.StatusFile),
		[]byte(`{"schema":1,"state":"failed","error":"=1+1\u001b[31m\nlosscorr: all is well"}`))
	expect.Says(t, call(0, "report", "--format", "runs", runs), `'=1+1\u001b[31m\u000alosscorr`)
}
