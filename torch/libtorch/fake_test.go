package libtorch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/expect"
)

// fakeTorch makes a folder that looks like a libtorch of that version.
func fakeTorch(t *testing.T, dir, version string, cuda bool) string {
	t.Helper()
	write(t, filepath.Join(dir, "version.py"), "from typing import Optional\n__version__ = '"+version+"'\ndebug = False\n")
	write(t, filepath.Join(dir, "lib", sharedLibrary("torch_cpu")), "")
	write(t, filepath.Join(dir, "lib", sharedLibrary("c10")), "")
	write(t, filepath.Join(dir, "include", "ATen", "ATen.h"), "")
	if cuda {
		write(t, filepath.Join(dir, "lib", sharedLibrary("torch_cuda")), "")
	}
	return realPath(t, dir)
}

// fakeShim makes a library and a sidecar that says it is for that libtorch.
func fakeShim(t *testing.T, dir, root, version, hash string) string {
	t.Helper()
	path := filepath.Join(dir, ShimName)
	write(t, path, "")
	write(t, SidecarPath(path), "libtorch_version="+version+"\nlibtorch="+root+"\nsource_hash="+hash+
		"\ncuda=no\ncompiler=GNU 12\n")
	return path
}

// fakePython makes a python3 that always prints answer.
func fakePython(t *testing.T, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	script(t, path, "echo 'site customised'\necho '"+answer+"'")
	return path
}

// script writes a program for the shell.
func script(t *testing.T, path, text string) {
	t.Helper()
	write(t, path, "#!/bin/sh\n"+text+"\n")
	expect.OK(t, os.Chmod(path, 0o755))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	path = expect.Got(filepath.EvalSymlinks(path))(t)
	return path
}

// smallSources is a shim of one function that asks libtorch. It compiles no headers of tensors, which take seconds.
func smallSources(t *testing.T) fstest.MapFS {
	t.Helper()
	lists := expect.Got(fs.ReadFile(losscorr.Sources, "CMakeLists.txt"))(t)
	return fstest.MapFS{
		"CMakeLists.txt":      {Data: bytes.ReplaceAll(lists, []byte("<ATen/ops/zeros.h>"), nil)},
		"cgo/api.h":           {Data: []byte("#pragma once\n")},
		"cgo/notes.txt":       {Data: []byte("not a source\n")},
		"cgo/shim/shim.h":     {Data: []byte("#pragma once\n#include <c10/macros/Macros.h>\n")},
		"cgo/shim/errors.cpp": {Data: []byte("#include \"shim.h\"\n")},
		"cgo/shim/one.cpp": {Data: []byte(`#include "shim.h"
#include <c10/core/DeviceType.h>
extern "C" __attribute__((visibility("default"))) size_t lt_three() {
  return c10::DeviceTypeName(c10::DeviceType::CPU).size();
}
`)},
	}
}
