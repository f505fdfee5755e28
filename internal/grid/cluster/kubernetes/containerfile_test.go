package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// containerfile returns the stages of the Containerfile, each from its FROM on, without comments, one instruction per
// line.
func containerfile(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "Containerfile"))
	expect.OK(t, err)
	joined := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(strings.ReplaceAll(string(text), "\\\n", " "), "")
	return strings.Split(joined, "\nFROM ")[1:]
}

var source = filepath.Join("..", "..", "..", "..")

// The build stages' commands, run in a folder instead of the image, give a program that opens its shim without cache
// folder or variables. The test compiles the shim, so it runs only on request.
func TestContainerfileBuilds(t *testing.T) {
	if os.Getenv("LOSSCORR_TEST_IMAGE") == "" {
		t.Skip("runs with LOSSCORR_TEST_IMAGE=1, as make -f .ci/checks.mk test-image sets it: it compiles the shim")
	}
	root := t.TempDir()
	inside := strings.NewReplacer("/opt/losscorr", root+"/opt", "/tmp/shim", root+"/shim", "${SETUP}", "",
		"${REVISION}", "0123456789ab")
	ran := 0
	for k, stage := range containerfile(t)[:2] {
		for _, run := range regexp.MustCompile(`(?m)^RUN (.*)$`).FindAllStringSubmatch(stage, -1) {
			if strings.HasPrefix(run[1], "apt-get ") {
				continue
			}
			cmd := exec.Command("sh", "-euc", inside.Replace(run[1]))
			cmd.Dir = []string{source, root}[k] // only the first stage copies the sources
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", run[0], err, out)
			}
			ran++
		}
	}
	if ran != 3 {
		t.Errorf("%d commands ran, want download, build and setup", ran)
	}
	for word, want := range map[string]string{"doctor": root + "/opt/liblosscorr_shim.so", "version": "0123456789ab"} {
		cmd := exec.Command(root+"/opt/losscorr", word)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + cmd.Dir, "XDG_CACHE_HOME=" + cmd.Dir + "/cache", "PATH=/usr/bin:/bin"}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s in the image: %v, want %s in\n%s", word, err, want, out)
		}
	}
}
