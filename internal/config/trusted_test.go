package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
)

const estimatedRun = "dataset: mnist\nloss: forward-estimated\n"

// trusted holds a number, or a file that lies beside the configuration.
func TestTrusted(t *testing.T) {
	if got := configtest.Load(t, estimatedRun+"trusted: 2\n")[0].Trusted; got != "2" {
		t.Errorf("trusted is %q, want 2", got)
	}
	if got := configtest.Load(t, estimatedRun+"trusted: random:20\n")[0]; got.Trusted != "random:20" || len(got.ID()) != 12 {
		t.Errorf("trusted is %q, want random:20", got.Trusted)
	}
	two := configtest.Load(t, estimatedRun+"trusted: 2\n")[0]
	if text, err := two.YAML(); err != nil || configtest.Load(t, string(text))[0].Trusted != "2" {
		t.Errorf("the rendered run has other labels: %v\n%s", err, text)
	}
	if got := configtest.Load(t, estimatedRun, "trusted=[1,2]"); len(got) != 2 || got[1].Trusted != "2" {
		t.Errorf("a grid of numbers is %+v", got)
	}
	dir := configtest.Write(t, map[string]string{"c.yaml": estimatedRun + "trusted: known.csv\n", "known.csv": "index,label\n3,7\n"})
	runs, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "known.csv"); runs[0].Trusted != want {
		t.Errorf("trusted is %q, want %q", runs[0].Trusted, want)
	}
	text, err := runs[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := configtest.Load(t, string(text))[0]; again.ID() != runs[0].ID() || again.Trusted != runs[0].Trusted {
		t.Errorf("the rendered run has the labels %q", again.Trusted)
	}
	for text, want := range map[string]string{
		"trusted: 0\n":        "c.yaml:3:10: trusted: 0 labels per class are too few",
		"trusted: random:0\n": "trusted: 0 labels are too few",
		"trusted: gone.csv\n": "trusted: no file",
		"trusted: 2.5\n":      "trusted: 2.5; want text",
	} {
		if got := loadErr(t, estimatedRun+text).Error(); !strings.Contains(got, want) {
			t.Errorf("error %q lacks %q", got, want)
		}
	}
}

// Known labels make another run of an estimated loss, by content, and of no
// other: all share the cross-entropy run.
func TestTrustedIdentity(t *testing.T) {
	alone, two := configtest.Load(t, estimatedRun)[0], configtest.Load(t, estimatedRun+"trusted: 2\n")[0]
	if alone.ID() == two.ID() {
		t.Error("two labels a class make no difference")
	}
	a, _ := alone.Prerequisite()
	b, _ := two.Prerequisite()
	if a.ID() != b.ID() {
		t.Error("the cross-entropy runs differ")
	}
	file := filepath.Join(t.TempDir(), "known.csv")
	id := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c := alone
		c.Trusted = file
		return c.ID()
	}
	if id("index,label\n3,7\n") == id("index,label\n3,8\n") {
		t.Error("the content of the file makes no difference")
	}
}
