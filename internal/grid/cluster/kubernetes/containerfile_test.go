package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// Files that the Containerfile copies or builds exist, stages are declared before they are copied from, and the image
// runs the program without root, as the manifest requires.
func TestContainerfile(t *testing.T) {
	stages := containerfile(t)
	if len(stages) != 3 {
		t.Fatalf("%d stages, want 3", len(stages))
	}
	from := regexp.MustCompile(`^docker\.io/library/[a-z]+:[\w.${}-]+(?: AS ([a-z]+))?\n`)
	var declared []string
	for _, stage := range stages {
		m := from.FindStringSubmatch(stage)
		if m == nil {
			t.Fatalf("FROM %s: not a full name with a tag", stage)
		}
		for _, copied := range regexp.MustCompile(`(?m)^COPY (?:--from=(\w+) )?(.*) \S+$`).FindAllStringSubmatch(stage, -1) {
			if copied[1] != "" {
				if !slices.Contains(declared, copied[1]) {
					t.Errorf("COPY from %s, which is not an earlier stage of %v", copied[1], declared)
				}
				continue
			}
			for _, file := range strings.Fields(copied[2]) {
				if _, err := os.Stat(filepath.Join(source, file)); err != nil {
					t.Errorf("COPY %s: %v", file, err)
				}
			}
		}
		declared = append(declared, m[1])
	}
	if !strings.HasSuffix(stages[2], "\nENTRYPOINT [\"/opt/losscorr/losscorr\"]\n") {
		t.Errorf("the image ends differently: %s", stages[2])
	}
	manifest, err := job{Site: Site{Image: "i", Claim: "c", Path: "p"}, Name: "n", Tasks: 1, Pack: 1}.manifest()
	expect.OK(t, err)
	user := regexp.MustCompile(`\nUSER (\d+)\n`).FindStringSubmatch(stages[2])
	if user == nil || !strings.Contains(string(manifest), "runAsUser: "+user[1]+"\n") {
		t.Errorf("the image's user %q is not the tasks':\n%s", user, manifest)
	}
	// Mounts of the manifest must not hide files of the image.
	mounts := regexp.MustCompile(`mountPath: (.*)`).FindAllStringSubmatch(string(manifest), -1)
	const program = "/opt/losscorr"
	if len(mounts) != 2 || strings.HasPrefix(program, mounts[0][1]) || strings.HasPrefix(program, mounts[1][1]) {
		t.Errorf("mounts %q", mounts)
	}
}

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
