package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/libtorch"
	"github.com/losscorr/losscorr/torch/torchtest"
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
	expect.Says(t, p.err.String(), want...)
}

// refuses waits for a failure with any code and checks words on stderr.
func (p *process) refuses(t *testing.T, want ...string) {
	t.Helper()
	if p.exit() == 0 {
		t.Errorf("%v succeeds", p.Args)
	}
	expect.Says(t, p.err.String(), want...)
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
	expect.Says(t, p.out.String(), want...)
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

// realVars returns the environment for the real program, losscorr-real, in its own
// folder. It skips the test without libtorch.
func realVars(t *testing.T, work string) map[string]string {
	t.Helper()
	torchtest.Open(t)
	shim := expect.Got(libtorch.Locate(losscorr.Sources))(t)
	vars := map[string]string{
		"LOSSCORR_SHIM": shim.Path, "LOSSCORR_DATA": filepath.Join(work, "data"),
		"HOME": work, "XDG_CACHE_HOME": filepath.Join(work, "cache"), "OMP_NUM_THREADS": "1", "LIBTORCH": "",
		"LOSSCORR_OFFLINE": "1",
		"SHIM_NOTES":       libtorch.SidecarPath(shim.Path), // for scripts
	}
	if d := torchtest.Device(); d != torch.CPU {
		vars["LOSSCORR_DEVICE"] = d.String()
	}
	return vars
}

// workplace returns a folder and the variables of realVars.
func workplace(t *testing.T) (dir string, vars map[string]string) {
	t.Helper()
	dir = t.TempDir()
	return dir, realVars(t, dir)
}

// writeOwn writes own.csv, a table of 400 examples of three classes whose label depends on
// two of the numbers, and new.csv, three of them without labels.
func writeOwn(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	own := "id,x1,x2,x3,text,label\n"
	for k := range 400 {
		class := k % 3
		x := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		x[class] += 6
		own += fmt.Sprintf("r%d,%.3f,%.3f,%.3f,%s film,%s\n", k, x[0], x[1], x[2], []string{"good", "bad", "long"}[class],
			[]string{"cat", "dog", "owl"}[class])
	}
	write(t, filepath.Join(dir, "own.csv"), []byte(own))
	write(t, filepath.Join(dir, "new.csv"), []byte("id,x1,x2,x3\na,6,0,0\nb,0,6,0\nc,0,0,6\n"))
}

// writePhotos writes 60 small colour images of two classes.
func writePhotos(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	for k := range 60 {
		class := k % 2
		img := image.NewNRGBA(image.Rect(0, 0, 12, 12))
		for i := range img.Pix {
			img.Pix[i] = byte(rng.IntN(100))
			if i%4 == 3 || i%4 == class {
				img.Pix[i] = 255
			}
		}
		var b bytes.Buffer
		expect.OK(t, png.Encode(&b, img))
		folder := filepath.Join(dir, []string{"cat", "dog"}[class])
		makeFolder(t, folder)
		write(t, filepath.Join(folder, fmt.Sprintf("%02d.png", k)), b.Bytes())
	}
}

// The real program on real files: errors are reported with the documented exit
// code before any run starts.
func TestRealScripts(t *testing.T) {
	torchtest.Open(t)
	testscript.RunT(sequential{t}, testscript.Params{
		Dir: filepath.Join("testdata", "real"),
		Setup: func(env *testscript.Env) error {
			for name, text := range realVars(t, env.WorkDir) {
				env.Setenv(name, text)
			}
			datatest.Digits(t, filepath.Join(env.WorkDir, "data", "mnist"), 200, 50)
			writeOwn(t, env.WorkDir)
			writePhotos(t, filepath.Join(env.WorkDir, "photos"))
			return nil
		},
		Condition: func(name string) (bool, error) { return name == "cuda" && torch.CUDADevices() > 0, nil },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":    exitCode,
			"replace": replace,
			// run N ARGS...: the program, within this process, must end with code N.
			"run": func(ts *testscript.TestScript, _ bool, args []string) {
				vars := map[string]string{"NO_COLOR": ts.Getenv("NO_COLOR")}
				for name := range realVars(t, "") {
					vars[name] = ts.Getenv(name)
				}
				p := call(t, ts.MkAbs("."), vars, args[1:]...)
				ts.Check(errors.Join(expect.Err(ts.Stdout().Write(p.out.Bytes())), expect.Err(ts.Stderr().Write(p.err.Bytes()))))
				if got := strconv.Itoa(p.code); got != args[0] {
					ts.Fatalf("exit code is %s, want %s", got, args[0])
				}
			},
			// truncate FILE SIZE
			"truncate": func(ts *testscript.TestScript, _ bool, args []string) {
				n, err := strconv.ParseInt(args[1], 10, 64)
				ts.Check(err)
				ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
			},
			// json FILE checks that it holds one JSON object with a schema.
			"json": func(ts *testscript.TestScript, _ bool, args []string) {
				var v struct{ Schema int }
				ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
				if v.Schema != 1 {
					ts.Fatalf("schema %d, want 1", v.Schema)
				}
			},
		},
	})
}

// sequential runs scripts one after the other, since they change the folder and the variables of this process.
type sequential struct{ *testing.T }

func (s sequential) Parallel() {}

func (s sequential) Run(name string, run func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { run(sequential{t}) })
}

func (s sequential) Verbose() bool { return testing.Verbose() }

// replace is replace FILE OLD NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(args[0])
	if neg || !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// exitCode is exit N COMMAND ARGS...: the command must end with code N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit N command...")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code is %s, want %s", got, args[0])
	}
}

// poke changes one byte of a file.
func poke(path string, at int64, v byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte{v}, at); err != nil {
		return err
	}
	return f.Close()
}

// programIn returns a function that runs the program in a folder and checks its exit code.
func programIn(t *testing.T, dir string) func(code int, args ...string) *process {
	t.Helper()
	return func(code int, args ...string) *process {
		t.Helper()
		p := call(t, dir, nil, args...)
		p.ends(t, code)
		return p
	}
}

// writeArchives writes small archives of four published data sets in their official formats.
func writeArchives(t *testing.T, data string) {
	t.Helper()
	datatest.Digits(t, filepath.Join(data, "mnist"), 200, 50)
	datatest.Reviews(t, filepath.Join(data, "imdb", "aclImdb_v1.tar.gz"), 40)
	datatest.CIFAR(t, filepath.Join(data, "cifar10", "cifar-10-binary.tar.gz"), 10, 0)
	datatest.CIFAR(t, filepath.Join(data, "cifar100", "cifar-100-binary.tar.gz"), 100, 20)
}
