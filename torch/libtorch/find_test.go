package libtorch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

func TestOpenTakesTheUsualShapesOfAFolder(t *testing.T) {
	base := t.TempDir()
	root := fakeTorch(t, filepath.Join(base, "site", "torch"), "2.11.0+cu130", true)
	archive := fakeTorch(t, filepath.Join(base, "unpacked", "libtorch"), "", false)
	expect.OK(t, os.Remove(filepath.Join(archive, "version.py")))
	write(t, filepath.Join(archive, "build-version"), "2.8.0+cpu\n")
	link := filepath.Join(base, "link")
	expect.OK(t, os.Symlink(root, link))

	wheel := Install{Dir: root, Version: "2.11.0+cu130", CUDA: true, Source: "test"}
	zip := Install{Dir: archive, Version: "2.8.0+cpu", Source: "test"}
	for dir, want := range map[string]Install{
		root:                            wheel,
		filepath.Dir(root):              wheel,
		link:                            wheel,
		archive:                         zip,
		filepath.Join(base, "unpacked"): zip,
	} {
		got := expect.Got(Open(dir, "test"))(t)
		expect.Same(t, want, got, dir)
	}
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	base := t.TempDir()
	noHeaders := fakeTorch(t, filepath.Join(base, "noheaders"), "2.11.0", false)
	noVersion := fakeTorch(t, filepath.Join(base, "noversion"), "2.11.0", false)
	blank := fakeTorch(t, filepath.Join(base, "blank"), "2.11.0", false)
	expect.OK(t, os.RemoveAll(filepath.Join(noHeaders, "include")))
	remove(t, filepath.Join(noVersion, "version.py"))
	write(t, filepath.Join(blank, "version.py"), "debug = False\n")
	for dir, want := range map[string]string{
		filepath.Join(base, "absent"): "no such file",
		base:                          "no libtorch in " + base,
		noHeaders:                     "no headers",
		noVersion:                     "neither version.py nor build-version",
		blank:                         "no __version__",
	} {
		expect.Says(t, expect.Err(Open(dir, "test")), want)
	}
}

func TestFindOrder(t *testing.T) {
	base := t.TempDir()
	env := fakeTorch(t, filepath.Join(base, "env"), "2.9.0", false)
	python := fakeTorch(t, filepath.Join(base, "python", "torch"), "2.10.0", false)
	fetched := fakeTorch(t, filepath.Join(base, "build", "libtorch"), "2.11.0", false)
	exe := fakePython(t, python)

	for _, c := range []struct {
		env, exe, want string
	}{
		{env, exe, env},
		{"", exe, python},
		{"", fakePython(t, ""), fetched},
		{"", filepath.Join(base, "no-python"), fetched},
	} {
		t.Setenv("LIBTORCH", c.env)
		t.Setenv("PATH", filepath.Dir(c.exe))
		got, err := Find(filepath.Join(base, "absent"), fetched)
		expect.OK(t, err)
		expect.Same(t, c.want, got.Dir, c)
	}
	t.Setenv("LIBTORCH", env)
	got := expect.Got(Find(fetched))(t)
	expect.Same(t, Install{Dir: env, Version: "2.9.0", Source: "$LIBTORCH"}, got, "libtorch")
}

func TestFindListsEveryPlace(t *testing.T) {
	old := fakeTorch(t, filepath.Join(t.TempDir(), "torch"), "2.7.1", false)
	absent := filepath.Join(t.TempDir(), "absent")
	t.Setenv("LIBTORCH", "")
	t.Setenv("PATH", filepath.Dir(fakePython(t, old)))
	_, err := Find(absent)
	var none *NoInstallError
	if !errors.As(err, &none) || len(none.Tried) != 3 {
		t.Fatalf("Find = %v, want a *NoInstallError with three places", err)
	}
	expect.Says(t, err, "$LIBTORCH: not set", "2.7.1", "2.8.0 or later", absent, "losscorr setup")
	t.Setenv("LIBTORCH", old) // ends the search
	_, err = Find(fakeTorch(t, filepath.Join(t.TempDir(), "torch"), "2.15.0", false))
	expect.Says(t, err, "LIBTORCH="+old, "2.7.1", "2.11.0 is the default")
}

// A folder called torch in the working directory is not a Python package.
func TestFindPythonLeavesOutTheWorkingFolder(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on the PATH")
	}
	dir := t.TempDir()
	fakeTorch(t, filepath.Join(dir, "torch"), "2.11.0", false)
	write(t, filepath.Join(dir, "torch", "__init__.py"), "raise SystemExit('imported')\n")
	t.Chdir(dir)
	if in, err := findPython(); err == nil && strings.HasPrefix(in.Dir, realPath(t, dir)) {
		t.Errorf("findPython = %v, which lies in the working folder", in)
	}
	t.Setenv("PYTHONPATH", dir)
	in, err := findPython()
	expect.OK(t, err)
	expect.Same(t, "2.11.0", in.Version, "with PYTHONPATH")
}

func TestReleases(t *testing.T) {
	for version, want := range map[string]bool{
		"2.8.0": true, "2.8": true, "2.11.0+cu130": true, "2.15.0": true, "3.0": true, "2.9.0a0+git123": true,
		"2.7.1": false, "1.13.1+cpu": false, "": false, "unknown": false, "2": false,
	} {
		expect.Same(t, want, supported(version), version)
	}
	if !older("2.8.0", "2.11.0") || older("2.11.0", "2.8.0") || older("2.11", "2.11.0+cu130") {
		t.Error("releases are not compared number by number")
	}
}

// Pinned releases are in order, and every wheel that is fetched for Linux on x86-64 is pinned by its hash.
func TestPins(t *testing.T) {
	for i, p := range pins {
		if !supported(p.Version) || i > 0 && !older(pins[i-1].Version, p.Version) {
			t.Errorf("%s is out of order or range", p.Version)
		}
		for _, r := range append([]string{"torch==" + p.Version}, p.Packages...) {
			if raw, err := hex.DecodeString(hashes[r]); err != nil || len(raw) != sha256.Size {
				t.Errorf("%s: %s has the hash %q", p.Name, r, hashes[r])
			}
		}
	}
	expect.Same(t, "default", expect.Got(FindPin("2.11.0"))(t).Name)
	expect.Says(t, expect.Err(FindPin("1.13.1")), "2.8.0 (oldest)")
}
