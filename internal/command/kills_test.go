package command

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
)

// killable is a command that writes to KILLED, a folder that kill -9 leaves unfinished.
type killable struct {
	name    string
	before  [][]string // earlier commands whose output it reads
	args    []string
	program string // instead of losscorr
}

func killables() []killable {
	words := strings.Fields
	quick := []string{"epochs=3", "batch_size=16", "--quiet"}
	return []killable{
		{name: "train", args: words("train study.yaml --quiet --checkpoint-every 0 --out KILLED")},
		{name: "grid run", args: words("grid run study.yaml --quiet --checkpoint-every 0 --jobs 2 --out KILLED")},
		{name: "grid plan", args: words("grid plan study.yaml --out KILLED")},
		{name: "experiment", program: "experiments/mnist",
			args: append(words("--loss forward,forward-estimated --noise asymmetric:.2 --seeds 1 --out KILLED"), quick...)},
		{name: "audit of images", args: append(words("audit images/ --labels labels.csv --out KILLED"), quick...)},
		{name: "audit of features", args: append(words("audit images/ --labels labels.csv --backbone backbone.pt2 --out "+
			"KILLED"), quick...)},
		{name: "audit of text", args: append(words("audit reviews.csv --text text --id id --out KILLED"), quick...)},
		{name: "audit of probabilities", args: words("audit --probabilities p.npy --labels y.npy --out KILLED --quiet")},
		{name: "train own", args: append(words("train X.npy --labels y.npy --test X_test.npy --test-labels y_test.npy "+
			"--checkpoint-every 0 --out KILLED"), quick...)},
		{name: "predict", before: [][]string{append(words("train X.npy --labels y.npy --out trained"), quick...)},
			args: words("predict trained X_test.npy --quiet --out KILLED/predicted.parquet")},
		{name: "noisify", args: words("noisify reviews.csv --noise symmetric:.2 --id id --quiet --out KILLED/noisy.csv")},
		{name: "report", before: [][]string{words("train study.yaml --quiet --out reported")},
			args: words("report reported --out KILLED")},
		{name: "demo", args: words("demo --quiet KILLED")},
	}
}

// After kill -9 at random moments, 16 times for each command, running it again always leaves
// exactly the files of an undisturbed run.
func TestSoakKills(t *testing.T) {
	if os.Getenv("LOSSCORR_SOAK") == "" {
		t.Skip("make -f .ci/checks.mk soak tests it")
	}
	const kills = 16
	dir, vars := workplace(t)
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 300, 100)
	writeOwnForms(t, dir)
	write(t, filepath.Join(dir, "study.yaml"),
		[]byte("dataset: mnist\nepochs: 4\nbatch_size: 8\nnoise: {kind: asymmetric, level: .2}\n"+
			"grid: {loss: [cross-entropy, forward-estimated]}\n"))
	for _, k := range killables() {
		t.Run(k.name, func(t *testing.T) {
			for _, args := range k.before {
				start(t, dir, vars, args...).ends(t, 0)
			}
			program := "losscorr-real"
			if k.program != "" {
				program = buildProgram(t, k.program)
			}
			out := filepath.Join(dir, "out", k.name)
			for i, a := range k.args {
				k.args[i] = strings.Replace(a, "KILLED", filepath.Join("out", k.name), 1)
			}
			fresh := func() {
				expect.OK(t, os.RemoveAll(out))
				expect.OK(t, os.RemoveAll(vars["XDG_CACHE_HOME"]))
				makeFolder(t, filepath.Dir(out))
				if k.name == "predict" || k.name == "noisify" {
					expect.OK(t, os.Mkdir(out, 0o755))
				}
			}
			fresh()
			begun := time.Now()
			startProgram(t, program, dir, vars, k.args...).ends(t, 0)
			whole := time.Since(begun)
			want := contentOf(t, out)
			if len(want) == 0 {
				t.Fatalf("no files in %s", out)
			}
			fresh()
			completed := 0
			for killed := 0; killed < kills; {
				p := startProgram(t, program, dir, vars, k.args...)
				time.Sleep(rand.N(whole))
				_ = p.Process.Kill()
				_ = p.Wait() // the state is checked
				switch code := p.ProcessState.ExitCode(); code {
				case -1:
					killed++
				case 0:
					completed++
					same(t, want, contentOf(t, out), killed)
					fresh()
				default:
					t.Fatalf("exit code %d after %d kills\n%s", code, killed, p.err.String())
				}
			}
			startProgram(t, program, dir, vars, k.args...).ends(t, 0)
			same(t, want, contentOf(t, out), kills)
			t.Logf("killed %d times in %v, completed %d times", kills, whole.Round(time.Millisecond), completed+1)
		})
	}
}

func same(t *testing.T, want, got map[string]string, kills int) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after %d kills (-undisturbed +got):\n%s", kills, diff)
	}
}

// passing matches dates and durations in text files.
var passing = regexp.MustCompile(`"(seconds|finished)": ?("[^"]*"|[0-9.e+-]+),?|finished [^<]*<|[0-9.]+ (s|ms)<`)

// contentOf returns the contents of the files below dir, and only the names of logs, leases
// and other records of attempts and times.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch base := d.Name(); {
		case strings.HasPrefix(base, "lease."), base == "previous.safetensors":
			return nil // records of attempts
		case base == "last.safetensors", base == "log.txt", base == "status.json", base == "env.json",
			base == "runs.csv":
			files[name] = ""
			return nil
		}
		files[name] = string(passing.ReplaceAll(read(t, path), nil))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
