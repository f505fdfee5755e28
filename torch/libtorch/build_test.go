package libtorch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/losscorr/losscorr"

	"github.com/losscorr/losscorr/internal/expect"
)

// configured returns the sidecar that CMake writes for a shim of these sources; toolkit is the only folder of CUDA.
// The error holds CMake's output. Only the configuration runs, so a fake libtorch folder is enough.
func configured(t *testing.T, sources fs.FS, toolkit string, args ...string) (sidecar string, err error) {
	t.Helper()
	needCompiler(t)
	src, obj := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "obj")
	expect.OK(t, os.CopyFS(src, sources))
	cmd := exec.Command(needTool(t, "cmake"), append([]string{"-S", src, "-B", obj}, args...)...)
	cmd.Env = append(os.Environ(), "CUDA_HOME="+toolkit, "CUDA_PATH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(string(out)), " "))
	}
	text, err := os.ReadFile(filepath.Join(obj, "sidecar.txt"))
	return string(text), err
}

// CMake and Go must agree on the hash, or no shim would ever be accepted.
func TestSourceHashEqualsCMakes(t *testing.T) {
	root := fakeTorch(t, filepath.Join(t.TempDir(), "torch"), "2.11.0+cu130", false)
	for _, sources := range []fs.FS{smallSources(t), losscorr.Sources} {
		sidecar := expect.Got(configured(t, sources, "", "-DLIBTORCH="+root))(t)
		want := expect.Got(SourceHash(sources))(t)
		expect.Says(t, sidecar, "source_hash="+want+"\n", "libtorch="+root+"\n", "version=2.11.0+cu130\n", "cuda=no\n")
	}
}

func TestCMakeRefusesWhatIsNoLibtorch(t *testing.T) {
	base := t.TempDir()
	old := fakeTorch(t, filepath.Join(base, "old"), "1.13.1", false)
	good := fakeTorch(t, filepath.Join(base, "good"), "2.11.0", false)
	for want, args := range map[string][]string{
		"LIBTORCH is not set":       nil,
		"no libtorch in":            {"-DLIBTORCH=" + base},
		"too old":                   {"-DLIBTORCH=" + old},
		"CUDA shim cannot be built": {"-DLIBTORCH=" + good, "-DLOSSCORR_CUDA=ON"},
	} {
		expect.Says(t, expect.Err(configured(t, smallSources(t), "", args...)), want)
	}
}

// The CUDA shim is built with the major version of CUDA that libtorch was built with,
// or not at all: a second runtime in one process has devices of its own.
func TestCMakeRefusesAnotherCUDA(t *testing.T) {
	if _, err := os.Stat("/usr/local/cuda"); err == nil {
		t.Skip("a CUDA toolkit is installed here, which would be found")
	}
	base := t.TempDir()
	sources := smallSources(t)
	sources["cgo/shim/cuda.cpp"] = &fstest.MapFile{Data: []byte("#include \"shim.h\"\n")}
	toolkit := func(name, version string) string {
		dir := filepath.Join(base, name)
		write(t, filepath.Join(dir, "include", "cuda_runtime_api.h"), "/* The version */\n#define CUDART_VERSION  "+version+
			"\n")
		write(t, filepath.Join(dir, "lib64", "libcudart.so"), "")
		return dir
	}
	twelve, thirteen := toolkit("twelve", "12080"), toolkit("thirteen", "13000")
	wheel := fakeTorch(t, filepath.Join(base, "wheel", "torch"), "2.11.0+cu130", true)
	write(t, filepath.Join(wheel, "version.py"), "__version__ = '2.11.0'\ncuda: Optional[str] = '13.0'\n")
	archive := fakeTorch(t, filepath.Join(base, "archive", "torch"), "2.11.0", true)
	remove(t, filepath.Join(archive, "version.py"))
	write(t, filepath.Join(archive, "build-version"), "2.11.0+cu130\n")
	for _, root := range []string{wheel, archive} {
		write(t, filepath.Join(root, "include", "c10", "cuda", "CUDAFunctions.h"), "")
		for toolkit, want := range map[string]string{
			thirteen: "cuda=yes\ncuda_reason=\n",
			twelve: "cuda=no\ncuda_reason=toolkit of CUDA 13, with which this libtorch was built, only " + twelve +
				", which is CUDA 12 (CUDA_HOME names another)\n",
		} {
			sidecar := expect.Got(configured(t, sources, toolkit, "-DLIBTORCH="+root))(t)
			expect.Says(t, sidecar, want)
		}
	}
	_, err := configured(t, sources, twelve, "-DLIBTORCH="+wheel, "-DLOSSCORR_CUDA=ON")
	expect.Says(t, err, "which is CUDA 12")
}

// The whole way on a libtorch of this machine: build, locate, and refuse the shim
// once libtorch has changed under it.
func TestBuildAndLocate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles C++")
	}
	in, err := Find()
	if err != nil {
		t.Skipf("no libtorch on this machine: %v", err)
	}
	needTool(t, "cmake")
	needCompiler(t)
	searchIn(t)
	sources := smallSources(t)
	dest := expect.Got(CacheDir(in, sources))(t)
	var log bytes.Buffer
	if err := Build(t.Context(), sources, in, dest, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	shim := located(t, filepath.Join(dest, ShimName))
	if shim.Version != in.Version || shim.Libtorch != in.Dir || shim.Compiler == "" {
		t.Errorf("sidecar %+v, want the one of %+v", shim.Sidecar, in)
	}

	// A failed build leaves what was there.
	broken := maps.Clone(sources)
	broken["cgo/shim/shim.h"] = &fstest.MapFile{Data: []byte("#include \"missing.h\"\n")} // the compiler ends at once
	log.Reset()
	expect.Says(t, Build(t.Context(), broken, in, dest, &log), "see its output above")
	expect.Says(t, log.String(), "missing.h") // the compiler's message
	located(t, filepath.Join(dest, ShimName))
}

func TestBuildEndsWithItsContext(t *testing.T) {
	needTool(t, "cmake")
	root := fakeTorch(t, t.TempDir(), "2.11.0", false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dest := t.TempDir()
	err := Build(ctx, smallSources(t), Install{Dir: root, Version: "2.11.0"}, dest, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Build = %v, want context.Canceled", err)
	}
	expect.Same(t, nil, list(t, dest), "left behind")
}

func TestInstallDropsAFormerCUDAShim(t *testing.T) {
	out, dest := t.TempDir(), t.TempDir()
	for _, lib := range []string{ShimName, CUDAShimName} {
		write(t, filepath.Join(dest, lib), "old")
		write(t, SidecarPath(filepath.Join(dest, lib)), "old")
	}
	write(t, filepath.Join(out, ShimName), "new")
	write(t, SidecarPath(filepath.Join(out, ShimName)), "new")
	expect.OK(t, install(out, dest))
	expect.Same(t, []string{ShimName, SidecarPath(ShimName)}, list(t, dest), "dest")
	expect.Same(t, "new", string(expect.Got(os.ReadFile(filepath.Join(dest, ShimName)))(t)), "library")
	expect.Fails(t, install(t.TempDir(), dest), "no such file")
}

func needTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on the PATH", name)
	}
	return path
}

func needCompiler(t *testing.T) {
	t.Helper()
	if tools, _, _ := prerequisites(t, "c++"); !tools[0].found {
		t.Skip(tools[0].detail)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries := expect.Got(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		if e.Name() != ".lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

// configure.sh empties only folders that were configured elsewhere, which CMake would refuse to use.
func TestConfigureOfMovedClone(t *testing.T) {
	needTool(t, "cmake")
	script := expect.Got(filepath.Abs("configure.sh"))(t)
	dir := realPath(t, t.TempDir())
	mark := filepath.Join("build", "cmake", "mark")
	configure := func(dir string) (kept bool) {
		t.Helper()
		cmd := exec.Command("sh", script, ".", "build/cmake")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return isFile(filepath.Join(dir, mark))
	}
	first, moved, link := filepath.Join(dir, "first"), filepath.Join(dir, "moved"), filepath.Join(dir, "link")
	const project = "cmake_minimum_required(VERSION 3.18)\nproject(none LANGUAGES NONE)\n"
	write(t, filepath.Join(first, "CMakeLists.txt"), project)
	configure(first)
	write(t, filepath.Join(first, mark), "")
	expect.OK(t, os.Symlink(first, link))
	expect.Same(t, true, configure(first) && configure(link), "kept where it was configured")
	expect.OK(t, os.Rename(first, moved))
	expect.Same(t, false, configure(moved), "kept where it was moved")
}
