package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// load reads a site file.
func load(t *testing.T, text string) (s Site, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.yaml")
	expect.OK(t, os.WriteFile(file, []byte(text), 0o644))
	return s, cluster.LoadSite(file, &s)
}

// A site file sets its keys; a wrong key or value is a *SiteError that suggests the right one.
func TestLoadSite(t *testing.T) {
	got, err := load(t, "partition: gpu\ntime: 12:00:00\ngpus: 1\ncpus: 4\nmem: 8G\nsignal: 90\nno_requeue: true\n"+
		"max_parallel: 20\nsetup:\n- module load cuda\nextra: [--mail-type=END, -L matlab]\n")
	expect.OK(t, err)
	expect.Same(t, Site{
		Partition: "gpu", Time: "12:00:00", GPUs: "1", CPUs: "4", Mem: "8G", Signal: 90, NoRequeue: true,
		MaxParallel: 20, Setup: []string{"module load cuda"}, Extra: []string{"--mail-type=END", "-L matlab"},
	}, got, "site")

	if got, err := load(t, "\n"); err != nil || !cmp.Equal(got, Site{}) {
		t.Errorf("an empty file: %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"time: 90\npartiton: gpu":     "line 2: unknown key partiton; docs/clusters.md lists the keys",
		"partition: [a]":              "site.yaml",
		"partition: 'gpu; rm'":        `partition "gpu; rm" is not valid; an example is gpu`,
		"time: tomorrow":              "time",
		"gpus: -1":                    "gpus",
		"mem: much":                   "8G",
		"signal: -5":                  "negative",
		"setup: [\"a\\nb\"]":          "more than one line",
		"extra: [mail]":               "not an sbatch option",
		"extra: [--array=1-3]":        "losscorr sets that option itself",
		"extra: ['#SBATCH -o x.out']": "losscorr sets that option itself",
	} {
		_, err := load(t, text)
		expect.Fails(t, err, want, text)
		if wrong := new(cluster.SiteError); !errors.As(err, &wrong) {
			t.Errorf("%s: %v, want a *SiteError", text, err)
		}
	}
	if err := cluster.LoadSite(filepath.Join(t.TempDir(), "none"), new(Site)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// Memory and time are accepted in all forms that sbatch users write, although sbatch reads only whole numbers.
func TestMemoryAndTime(t *testing.T) {
	for given, want := range map[string]string{
		"mem: 8g": "--mem=8g", "mem: 64GB": "--mem=64GB", "mem: 8000": "--mem=8000", "mem: 0": "--mem=0",
		"mem: 1.5G": "--mem=1536M", "mem: 0.5t": "--mem=512G", "mem: 1.5": "--mem=1536K", "mem: 1.5K": "--mem=2K",
		"time: UNLIMITED": "--time=UNLIMITED", "time: infinite": "--time=infinite", "time: 1-00:00:00": "--time=1-00:00:00",
		"mem: G": "", "mem: 1.G": "", "mem: 8X": "", "time: never": "", "time: UNLIMITED1": "",
	} {
		s, err := load(t, given)
		if (err == nil) != (want != "") || want != "" && strings.Join(s.directives(), " ") != want {
			t.Errorf("%s: %q, %v, want %q", given, s.directives(), err, want)
		}
	}
}
