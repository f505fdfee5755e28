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
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/libtorch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

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
