package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Containerfile, its lines joined.
type instruction struct{ word, rest string }

// readContainerfile returns the instructions by stage: what is before the first
// FROM, then a list a stage, each beginning with its FROM.
func readContainerfile(t *testing.T) [][]instruction {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	stages := [][]instruction{nil}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.Lines(joined) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "FROM" {
			stages = append(stages, nil)
		}
		stages[len(stages)-1] = append(stages[len(stages)-1], instruction{word, strings.Join(strings.Fields(rest), " ")})
	}
	return stages
}

// What the Containerfile copies and builds is there, its stages are declared before
// they are copied from, and the image runs the program without root.
func TestContainerfile(t *testing.T) {
	stages := readContainerfile(t)
	if len(stages) != 4 {
		t.Fatalf("%d stages, want 3", len(stages)-1)
	}
	var declared []string
	known := []string{"FROM", "ARG", "RUN", "COPY", "WORKDIR", "ENV", "USER", "ENTRYPOINT"}
	from := regexp.MustCompile(`^docker\.io/library/[a-z]+:[\w.${}-]+( AS ([a-z]+))?$`)
	for _, stage := range stages {
		for _, i := range stage {
			if !slices.Contains(known, i.word) {
				t.Errorf("unknown instruction %s", i.word)
			}
			switch i.word {
			case "FROM":
				m := from.FindStringSubmatch(i.rest)
				if m == nil {
					t.Errorf("FROM %s: not a full name with a tag", i.rest)
					continue
				}
				declared = append(declared, m[2])
			case "COPY":
				words := strings.Fields(i.rest)
				if stage, ok := strings.CutPrefix(words[0], "--from="); ok {
					if !slices.Contains(declared, stage) {
						t.Errorf("COPY from %s, which is no earlier stage of %v", stage, declared)
					}
					continue
				}
				for _, file := range words[:len(words)-1] {
					if _, err := os.Stat(filepath.Join("..", "..", "..", "..", file)); err != nil {
						t.Errorf("COPY %s: %v", file, err)
					}
				}
			}
		}
	}
	last := stages[len(stages)-1]
	if end := last[len(last)-1]; end != (instruction{"ENTRYPOINT", `["/opt/losscorr/losscorr"]`}) {
		t.Errorf("the image ends with %v", end)
	}
	manifest, err := job{Site: Site{Image: "i", Claim: "c", Path: "p"}, Name: "n", Tasks: 1, Pack: 1}.manifest()
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(last, func(i instruction) bool { return i.word == "USER" }); i < 0 || !strings.Contains(string(manifest), "runAsUser: "+last[i].rest+"\n") {
		t.Errorf("the image's user is not the tasks': %v\n%s", last, manifest)
	}
	// What the manifest sets must not hide what the image holds.
	mounts := regexp.MustCompile(`mountPath: (.*)`).FindAllStringSubmatch(string(manifest), -1)
	if len(mounts) != 2 {
		t.Errorf("mounts %q", mounts)
	}
	for _, m := range mounts {
		if strings.HasPrefix("/opt/losscorr", m[1]) {
			t.Errorf("the mount %s hides the program", m[1])
		}
	}
}

// The commands of the stages that build, as they stand, in a folder in place of the
// image: they leave a program that opens its shim with no cache folder and no
// variables. It compiles the shim, so it runs where it is asked for.
func TestContainerfileBuilds(t *testing.T) {
	if os.Getenv("LOSSCORR_TEST_IMAGE") == "" {
		t.Skip("runs with LOSSCORR_TEST_IMAGE=1, as make -f .ci/checks.mk test-image sets it: it compiles the shim")
	}
	root := t.TempDir()
	inside := strings.NewReplacer("/opt/losscorr", root+"/opt", "/tmp/shim", root+"/shim", "${SETUP}", "", "${REVISION}", "0123456789ab")
	ran := 0
	source, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for k, stage := range readContainerfile(t)[1:3] {
		dir := []string{source, root}[k] // only the first stage copies the sources
		for _, i := range stage {
			if i.word != "RUN" || strings.HasPrefix(i.rest, "apt-get ") {
				continue
			}
			cmd := exec.Command("sh", "-euc", inside.Replace(i.rest))
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("RUN %s: %v\n%s", i.rest, err, out)
			}
			ran++
		}
	}
	if ran != 3 {
		t.Errorf("%d commands ran, want download, build and setup", ran)
	}
	cmd := exec.Command(root+"/opt/losscorr", "doctor")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "XDG_CACHE_HOME=" + cmd.Dir + "/cache", "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), root+"/opt/liblosscorr_shim.so") {
		t.Errorf("doctor in the image: %v\n%s", err, out)
	}
	if out, err := exec.Command(root+"/opt/losscorr", "version").CombinedOutput(); err != nil || !strings.Contains(string(out), "0123456789ab") {
		t.Errorf("version in the image has not the revision: %v\n%s", err, out)
	}
}
