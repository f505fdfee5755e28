package libtorch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// surroundings of a search: an empty module with an empty cache, and nothing in the
// environment.
type surroundings struct{ module, build, cache, hash string }

func searchIn(t *testing.T) surroundings {
	t.Helper()
	base := realPath(t, t.TempDir())
	p := surroundings{module: filepath.Join(base, "module"), cache: filepath.Join(base, "cache")}
	p.build = filepath.Join(p.module, "build")
	write(t, filepath.Join(p.module, "go.mod"), "module example\n")
	t.Setenv("XDG_CACHE_HOME", p.cache)
	t.Setenv("HOME", p.cache)
	t.Setenv("LIBTORCH", "")
	t.Setenv("LOSSCORR_SHIM", "")
	t.Chdir(p.module)
	hash := expect.Got(SourceHash(smallSources(t)))(t)
	p.hash = hash
	return p
}

func TestLocateOrder(t *testing.T) {
	p := searchIn(t)
	sources := smallSources(t)
	root := fakeTorch(t, filepath.Join(p.module, "torch"), "2.11.0", false)
	in := Install{Dir: root, Version: "2.11.0"}

	cacheDir := expect.Got(CacheDir(in, sources))(t)
	cached := fakeShim(t, cacheDir, root, "2.11.0", p.hash)
	located(t, cached)
	built := fakeShim(t, p.build, root, "2.11.0", p.hash)
	located(t, built)

	inner := filepath.Join(p.module, "a", "b")
	expect.OK(t, os.MkdirAll(inner, 0o755))
	t.Chdir(inner) // where go test runs a package of the module
	located(t, built)

	named := fakeShim(t, filepath.Join(p.module, "elsewhere"), root, "2.11.0", p.hash)
	t.Setenv("LOSSCORR_SHIM", named)
	shim := located(t, named)
	if shim.Version != "2.11.0" || shim.Libtorch != root || shim.CUDA || shim.Compiler != "GNU 12" {
		t.Errorf("sidecar read as %+v", shim.Sidecar)
	}
}

func TestLocatePrefersTheLaterCachedRelease(t *testing.T) {
	p := searchIn(t)
	paths := map[string]string{}
	for _, version := range []string{"2.8.0", "2.11.0", "2.9.1"} {
		root := fakeTorch(t, filepath.Join(p.module, version), version, false)
		dir := expect.Got(CacheDir(Install{Dir: root, Version: version}, smallSources(t)))(t)
		paths[version] = fakeShim(t, dir, root, version, p.hash)
	}
	located(t, paths["2.11.0"])

	// $LIBTORCH chooses among them.
	t.Setenv("LIBTORCH", filepath.Join(p.module, "2.8.0"))
	shim := located(t, paths["2.8.0"])
	if len(shim.Tried) == 0 || !strings.Contains(shim.Tried[len(shim.Tried)-1].Reason, "but LIBTORCH is") {
		t.Errorf("tried %+v, want the shims for other libtorches among them", shim.Tried)
	}
}

func TestLocateSaysWhyAShimDoesNotServe(t *testing.T) {
	p := searchIn(t)
	root := fakeTorch(t, filepath.Join(p.module, "torch"), "2.11.0", false)
	for _, c := range []struct {
		name, want string
		damage     func(shim string)
	}{
		{"other libtorch", "built for libtorch 2.11.0, but " + root + " now holds 2.8.0: run losscorr setup", func(string) {
			write(t, filepath.Join(root, "version.py"), "__version__ = '2.8.0'\n")
		}},
		{"libtorch gone", "which no longer exists", func(shim string) {
			fakeShim(t, filepath.Dir(shim), root+"-gone", "2.11.0", p.hash)
		}},
		{"other sources", "built from other sources", func(shim string) {
			fakeShim(t, filepath.Dir(shim), root, "2.11.0", strings.Repeat("0", 64))
		}},
		{"no sidecar", "liblosscorr_shim.txt is missing", func(shim string) { remove(t, SidecarPath(shim)) }},
		{"damaged sidecar", "not key=value", func(shim string) {
			write(t, SidecarPath(shim), "libtorch_version=2.11.0\n\x00\x01\n")
		}},
		{"cut sidecar", "no source_hash", func(shim string) {
			write(t, SidecarPath(shim), "libtorch_version=2.11.0\nlibtorch="+root+"\n")
		}},
		{"no shim", "no such file", func(shim string) { remove(t, shim) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeTorch(t, root, "2.11.0", false)
			shim := fakeShim(t, p.build, root, "2.11.0", p.hash)
			located(t, shim)
			c.damage(shim)
			_, err := Locate(smallSources(t))
			var missing *NotFoundError
			if !errors.As(err, &missing) {
				t.Fatalf("Locate = %v, want a *NotFoundError", err)
			}
			expect.Says(t, err, shim+": ", c.want, p.cache, "run `losscorr setup`")
		})
	}
}

func TestLocateTakesANamedShimOrNone(t *testing.T) {
	p := searchIn(t)
	root := fakeTorch(t, filepath.Join(p.module, "torch"), "2.11.0", false)
	fakeShim(t, p.build, root, "2.11.0", p.hash)
	t.Setenv("LOSSCORR_SHIM", filepath.Join(p.module, "absent.so"))
	_, err := Locate(smallSources(t))
	var missing *NotFoundError
	if !errors.As(err, &missing) || len(missing.Tried) != 1 {
		t.Fatalf("Locate = %v, want a *NotFoundError for the one path", err)
	}
}

// The shim of a package finds libtorch relative to itself and works with every build of its release, but no other
// release.
func TestLocateInAPackage(t *testing.T) {
	p := searchIn(t)
	packages := filepath.Join(p.module, "site-packages")
	path := fakeShim(t, filepath.Join(packages, "losscorr", "bin", "shims", "2.11.0"), "../../../../torch", "2.11.0+cu130",
		p.hash)
	t.Setenv("LOSSCORR_SHIM", path)
	refused := func(want string) {
		t.Helper()
		expect.Says(t, expect.Err(Locate(smallSources(t))), want)
	}
	refused("for torch 2.11.0, which is not beside this package: python3 -m pip install torch==2.11.0")
	root := fakeTorch(t, filepath.Join(packages, "torch"), "2.11.0+cpu", false)
	shim := located(t, path)
	expect.Same(t, []any{root, true}, []any{shim.Libtorch, shim.Packaged})
	fakeTorch(t, root, "2.12.0", false)
	refused("for torch 2.11.0; " + root + " has 2.12.0")
}

func located(t *testing.T, path string) Shim {
	t.Helper()
	shim := expect.Got(Locate(smallSources(t)))(t)
	if shim.Path != path {
		t.Fatalf("Locate = %s, want %s", shim.Path, path)
	}
	return shim
}

func remove(t *testing.T, path string) {
	t.Helper()
	expect.OK(t, os.Remove(path))
}
