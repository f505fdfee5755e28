package command

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
)

// The folder shared by tests; TestMain removes it.
var sharedFolder string

// withFolder runs the tests with their shared folder.
type withFolder struct{ *testing.M }

func (m withFolder) Run() int {
	var err error
	if sharedFolder, err = os.MkdirTemp("", "losscorr-tests-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(sharedFolder)
	return m.M.Run()
}

// fixture is a folder filled by the first test that uses it; other tests read or copy it.
type fixture struct {
	sync.Mutex // protects later additions
	once       sync.Once
	dir        string
	fill       func(t *testing.T, dir string)
}

// path returns the folder, for reading only.
func (f *fixture) path(t *testing.T) string {
	t.Helper()
	f.once.Do(func() {
		dir := expect.Got(os.MkdirTemp(sharedFolder, ""))(t)
		f.fill(t, dir)
		f.dir = dir
	})
	if f.dir == "" {
		t.Fatal("what tests share could not be made")
	}
	return f.dir
}

// copied returns a copy of the folder that the test may change.
func (f *fixture) copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	expect.OK(t, os.CopyFS(dir, os.DirFS(f.path(t))))
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, data, 0o644))
}

func writeNPY(t *testing.T, path string, values []float32, columns int) {
	t.Helper()
	expect.OK(t, npy.WriteFloat32(path, values, columns))
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(path, 0o777))
}

func read(t *testing.T, elem ...string) []byte {
	t.Helper()
	return expect.Got(os.ReadFile(filepath.Join(elem...)))(t)
}

// absent fails the test if a file exists.
func absent(t *testing.T, elem ...string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(elem...)); !os.IsNotExist(err) {
		t.Errorf("%s is there, or %v", filepath.Join(elem...), err)
	}
}

// glob returns the n paths that match a pattern.
func glob(t *testing.T, n int, elem ...string) []string {
	t.Helper()
	found := expect.Got(filepath.Glob(filepath.Join(elem...)))(t)
	if len(found) != n {
		t.Fatalf("%d files %s, want %d", len(found), filepath.Join(elem...), n)
	}
	return found
}

func contains(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in %s:\n%s", w, what, text)
		}
	}
}

// process is a real program, running or ended.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
	code     int // of a call
}

// call runs the real program in dir within this process, which saves the loading of libtorch. The test cannot be
// parallel.
func call(t *testing.T, dir string, vars map[string]string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: &exec.Cmd{Args: append([]string{"losscorr"}, args...)}}
	here := expect.Got(os.Getwd())(t)
	t.Chdir(dir)
	defer func() { expect.OK(t, os.Chdir(here)) }()
	for name, text := range vars {
		t.Setenv(name, text)
	}
	program := Default()
	program.Stdout, program.Stderr = &p.out, &p.err
	p.code = program.Main(p.Args)
	return p
}

// start runs losscorr-real in dir.
func start(t *testing.T, dir string, vars map[string]string, args ...string) *process {
	t.Helper()
	return startProgram(t, "losscorr-real", dir, vars, args...)
}

func startProgram(t *testing.T, name, dir string, vars map[string]string, args ...string) *process {
	t.Helper()
	return startCommand(t, exec.Command(name, args...), dir, vars)
}

func startCommand(t *testing.T, cmd *exec.Cmd, dir string, vars map[string]string) *process {
	t.Helper()
	p := &process{Cmd: cmd}
	p.Dir, p.Stdout, p.Stderr = dir, &p.out, &p.err
	p.Env = os.Environ()
	for name, text := range vars {
		p.Env = append(p.Env, name+"="+text)
	}
	expect.OK(t, p.Start())
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	return p
}

// ends waits for the exit code.
func (p *process) ends(t *testing.T, want int) {
	t.Helper()
	if got := p.exit(); got != want {
		t.Fatalf("%v: exit code %d, want %d\n%s", p.Args, got, want, p.err.String())
	}
}

// exit waits for the end and returns the exit code, -1 after a signal.
func (p *process) exit() int {
	if p.Process == nil {
		return p.code
	}
	_ = p.Wait() // the code tells
	return p.ProcessState.ExitCode()
}

// fails waits for an exit code and checks words on stderr.
func (p *process) fails(t *testing.T, code int, want ...string) {
	t.Helper()
	p.ends(t, code)
	contains(t, "stderr", p.err.String(), want...)
}

// refuses waits for a failure with any code and checks words on stderr.
func (p *process) refuses(t *testing.T, want ...string) {
	t.Helper()
	if p.exit() == 0 {
		t.Errorf("%v succeeds", p.Args)
	}
	contains(t, "stderr", p.err.String(), want...)
}

// warns waits for success and checks words on stderr.
func (p *process) warns(t *testing.T, want ...string) {
	t.Helper()
	p.fails(t, 0, want...)
}

// says waits for success and checks words on stdout.
func (p *process) says(t *testing.T, want ...string) {
	t.Helper()
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), want...)
}

// prints waits for success and reads the JSON on stdout.
func prints[T any](t *testing.T, p *process) (v T) {
	t.Helper()
	p.ends(t, 0)
	expect.OK(t, json.Unmarshal(p.out.Bytes(), &v))
	return v
}

// summary returns the JSON of an audit.
func (p *process) summary(t *testing.T) audit.Summary {
	t.Helper()
	return prints[audit.Summary](t, p)
}
