package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
)

// Documents that would use up all memory or time give an error quickly. Without its limit, each takes minutes,
// gigabytes, or never ends.
func TestHostileDocuments(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	// Each level names the one below it ten times: 10^9 blocks, and 10^9 files to read.
	many := func(kind, name string) string {
		put(name+"0.yaml", "dataset: mnist\n")
		for level := range 9 {
			below := strings.Repeat(fmt.Sprintf("%s%d.yaml, ", name, level), 10)
			put(fmt.Sprintf("%s%d.yaml", name, level+1), kind+": ["+strings.TrimSuffix(below, ", ")+"]\n")
		}
		return filepath.Join(dir, name+"9.yaml")
	}
	pipe := filepath.Join(dir, "pipe.yaml")
	expect.OK(t, syscall.Mkfifo(pipe, 0o644))
	link := filepath.Join(dir, "zero.yaml")
	expect.OK(t, os.Symlink("/dev/zero", link))
	// 200 values of three keys: 8 million runs, in 100 blocks of 80,000 each.
	values := func(n int) string {
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(make([]int, n)), " ", ","), "[]")
	}
	put("grid.yaml", "dataset: mnist\ngrid:\n  seed: ["+values(400)+"]\n  epochs: ["+values(200)+"]\n")
	var unknown strings.Builder
	for k := range 9000 {
		fmt.Fprintf(&unknown, "key%dofmany: 1\n", k)
	}
	if runs, err := config.Load(many("extends", "e")); err != nil || len(runs) != 1 {
		t.Errorf("a file that extends another a billion times over: %d runs, %v", len(runs), err)
	}
	for _, tt := range []struct {
		name, path, want string
	}{
		{"a device", link, "it is not a regular file but a device"},
		{"extends a device", put("x.yaml", "extends: /dev/zero\n"),
			"cannot read /dev/zero: it is not a regular file but a device"},
		{"a pipe", pipe, "it is not a regular file but a pipe"},
		{"a large file", put("large.yaml", "dataset: mnist\n#"+strings.Repeat("x", 1<<20)), "it is larger than 1 MiB"},
		{"runs of many blocks", put("g.yaml", "blocks: ["+strings.TrimSuffix(strings.Repeat("grid.yaml, ", 100), ", ")+"]\n"),
			"more than 100000 runs"},
		{"a large grid", put("l.yaml", "dataset: mnist\ngrid: {seed: ["+values(400)+"], epochs: ["+values(400)+"]}\n"),
			"more than 100000 runs"},
		{"include of many", put("i.yaml", "dataset: mnist\ngrid:\n  seed: ["+values(400)+"]\n  include:\n"+
			strings.Repeat("    - {epochs: 1}\n", 4000)), "more than 100000 runs"},
		{"a long value", put("v.yaml", "dataset: "+strings.Repeat("mnist", 200_000)+"\n"),
			`v.yaml:1:10: dataset: unknown data set "mnistmnistmnistmnist`},
		{"a long key", put("k.yaml", "? "+strings.Repeat("mnist", 200_000)+"\n: 1\n"),
			`k.yaml:1:3: mnistmnistmnistmnist`},
		{"unknown keys", put("u.yaml", unknown.String()), "and 8950 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(tt.path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 20_000 {
				t.Errorf("%.2000v\nwant %q", err, tt.want)
			}
		})
	}
}
