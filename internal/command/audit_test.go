package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
)

// writeAuditable writes n images of MNIST as X.npy, and true and noisy labels as
// labels.csv.
func writeAuditable(t *testing.T, dir string, n int, noise func(classes []string) (*correction.Matrix, error)) {
	t.Helper()
	d := expect.Got(published.Open("mnist", dataset.Options{Root: filepath.Join("..", "..", "data"), Offline: true}))(t)
	matrix := expect.Got(noise(d.Classes))(t)
	given := expect.Got(matrix.Corrupt(d.Train.Labels[:n], rand.New(rand.NewPCG(14, 0))))(t)
	expect.OK(t, npy.WriteBytes(filepath.Join(dir, "X.npy"), d.Train.X[:n*784], 784))
	labels := []byte("label,truth\n")
	for i, y := range given {
		labels = fmt.Appendf(labels, "%s,%s\n", d.Classes[y], d.Classes[d.Train.Labels[i]])
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
}

// asymmetric is the paper's noise for MNIST.
func asymmetric(level float64) func(classes []string) (*correction.Matrix, error) {
	return func(classes []string) (*correction.Matrix, error) {
		var flips []correction.Flip
		for _, f := range published.All.Named("mnist").Flips {
			flips = append(flips, correction.Flip(f))
		}
		return correction.Asymmetric(classes, level, flips)
	}
}

// An audit of 4,000 images finds most wrong labels; rows of the wrong parts, a transposed T or misplaced labels
// give less. The second stage starts with an epoch of cross-entropy: without it a part
// may fall into forward's trap, depending on the seed.
func TestAuditFindsWrongLabels(t *testing.T) {
	dir, vars := workplace(t)
	writeAuditable(t, dir, 4000, asymmetric(.3))
	s := call(t, dir, vars, "audit", "X.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--json",
		"--quiet", "epochs=8").summary(t)
	m := s.Measured
	if m == nil || m.Known != 4000 {
		t.Fatalf("measured %+v of 4000", m)
	}
	if m.AveragePrecision < .95 || m.F1 < .87 || m.Corrected < .88 {
		t.Errorf("average precision %.3f, F1 %.3f, corrected %.3f: want .95, .87, .88", m.AveragePrecision, m.F1,
			m.Corrected)
	}
	warm := 0
	for _, path := range expect.Got(filepath.Glob(filepath.Join(dir, "a", audit.RunsDir, "*", "config.yaml")))(t) {
		k := string(read(t, path))
		if strings.Contains(k, "loss: forward\n") && strings.Contains(k, "warmup_epochs: 1\n") {
			warm++
		}
	}
	if warm != 4 {
		t.Errorf("%d networks of the second stage begin with an epoch of cross-entropy, want 4", warm)
	}
	if wrong := float64(m.Wrong); s.Wrong.Low < .9*wrong || s.Wrong.Low > 1.1*wrong || s.Wrong.High < s.Wrong.Low {
		t.Errorf("between %.0f and %.0f wrong labels, there are %.0f, which T has made", s.Wrong.Low, s.Wrong.High, wrong)
	}
}

// auditOfProbabilities are the arguments of an audit of writeProbabilities' files.
var auditOfProbabilities = strings.Fields(
	"audit --probabilities p.npy --labels labels.csv --truth truth --json --quiet --out")

// writeProbabilities writes the posteriors of a good, calibrated model for 600 examples in three classes as p.npy, and
// their true labels, and their labels in labels.csv, every fifth replaced by the next class.
func writeProbabilities(t *testing.T, dir string, classes ...string) (p []float32) {
	t.Helper()
	labels := []byte("label,truth\n")
	for k := range 600 {
		truth := k % 3
		given := truth
		if k%5 == 0 {
			given = (truth + 1) % 3
		}
		row := []float32{.02, .02, .02}
		row[truth], row[(truth+1)%3] = .78, .2
		p, labels = append(p, row...), fmt.Appendf(labels, "%s,%s\n", classes[given], classes[truth])
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
	writeNPY(t, filepath.Join(dir, "p.npy"), p, 3)
	return p
}

// Probabilities and labels are enough without DATA, and no network is trained.
func TestAuditOfProbabilities(t *testing.T) {
	dir := t.TempDir()
	p := writeProbabilities(t, dir, "0", "1", "2")
	s := call(t, dir, nil, append(auditOfProbabilities, "a")...).summary(t)
	if m := s.Measured; m == nil || m.AveragePrecision < .99 || m.F1 < .99 {
		t.Errorf("measured %+v", m)
	}
	noisy, classes, err := audit.At(filepath.Join(dir, "a")).Posteriors(audit.NoisyFile)
	if diff := cmp.Diff(p, noisy); err != nil || classes != 3 || diff != "" {
		t.Errorf("noisy probabilities of %d classes, %v (-given +kept):\n%s", classes, err, diff)
	}
}

// A file of features beside probabilities finds similar examples, whose labels are evidence; one with rows of other
// examples is refused.
func TestAuditOfProbabilitiesWithFeatures(t *testing.T) {
	dir, vars := workplace(t)
	p := writeProbabilities(t, dir, "0", "1", "2")
	rng := rand.New(rand.NewPCG(3, 1))
	var x []float32
	for k, v := range p { // the model is unsure about every fourth example
		x = append(x, float32(rng.NormFloat64()))
		if v > .5 {
			x[k] += 5
		}
		if k/3%4 == 0 {
			p[k] = 1. / 3
		}
	}
	for name, values := range map[string][]float32{"p.npy": p, "x.npy": x, "few.npy": x[3:]} {
		writeNPY(t, filepath.Join(dir, name), values, 3)
	}
	precision := func(more ...string) float64 {
		return call(t, dir, vars, append(auditOfProbabilities, more...)...).summary(t).Measured.AveragePrecision
	}
	if before, after := precision("a"), precision("a", "--features", "x.npy"); after < before+.05 {
		t.Errorf("average precision %.3f, without features %.3f", after, before)
	}
	call(t, dir, vars, append(auditOfProbabilities, "b", "--features", "few.npy")...).
		fails(t, app.ExitData, "few.npy has the shape [599 3], want [600 D]")
}

// Probabilities without column names that are not in the order of the class names are refused with the
// order that fits; with names, they are audited.
func TestAuditOfProbabilitiesInAnotherOrder(t *testing.T) {
	dir := t.TempDir()
	writeProbabilities(t, dir, "ship", "cat", "dog")
	args := append(auditOfProbabilities, "a")
	call(t, dir, nil, args...).fails(t, app.ExitData,
		`the column for "cat" fits "ship", "dog" fits "cat", "ship" fits "dog"`,
		"Use --classes ship,cat,dog, or --classes cat,dog,ship if")
	if m := call(t, dir, nil, append(args, "--classes", "ship,cat,dog")...).summary(t).Measured; m.AveragePrecision < .95 {
		t.Errorf("measured %+v", m)
	}
	// If the user insists, this is a warning.
	call(t, dir, nil, append(args, "--classes", "cat,dog,ship")...).
		says(t, "Check the names of the columns")
}

// After kill -9 at random moments, the resumed audit writes the same bytes as an
// undisturbed one, except for its times.
func TestAuditResumesAfterKill(t *testing.T) {
	t.Parallel()
	dir, vars := workplace(t)
	writeAuditable(t, dir, 300, asymmetric(.3))
	begin := func() *process {
		return start(t, dir, vars, "audit", "X.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--quiet",
			"epochs=4", "batch_size=8")
	}
	begun := time.Now()
	begin().ends(t, 0)
	whole := time.Since(begun)
	want := filesOfAudit(t, filepath.Join(dir, "a"))
	if len(want) != 9 { // with source.json and the lock
		t.Fatalf("%d files", len(want))
	}
	expect.OK(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "undisturbed")))
	killed := 0
	for range 3 {
		p := begin()
		time.Sleep(whole/4 + rand.N(whole/4))
		send(t, p, os.Kill)
		if p.Wait() != nil {
			killed++
		}
	}
	if killed < 1 {
		t.Errorf("killed %d times only", killed)
	}
	begin().ends(t, 0)
	if diff := cmp.Diff(want, filesOfAudit(t, filepath.Join(dir, "a"))); diff != "" {
		t.Errorf("after %d kills (-undisturbed +got):\n%s", killed, diff)
	}
}

// passing matches dates and durations in text files.
var passing = regexp.MustCompile(`"(seconds|finished)": ?("[^"]*"|[0-9.e+-]+),?|finished [^<]*<|[0-9.]+ (s|ms)<`)

// filesOfAudit returns the files of an audit without its date and duration.
func filesOfAudit(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range expect.Got(filepath.Glob(filepath.Join(dir, "*.*")))(t) {
		files[filepath.Base(path)] = string(passing.ReplaceAll(read(t, path), nil))
	}
	return files
}

// With --class-names, all files of an audit have the names, and its corrected labels and decisions
// can be read again beside the same data; people's decisions may also be numbers.
func TestAuditNamesClasses(t *testing.T) {
	dir := t.TempDir()
	writeProbabilities(t, dir, "0", "1", "2")
	write(t, filepath.Join(dir, "names.txt"), []byte("2=neither\n0=hate, or worse\n"))
	write(t, filepath.Join(dir, "trusted.csv"), []byte("id,label\n0,0\n1,1\n2,neither\n"))
	begin := []string{"audit", "--probabilities", "p.npy", "--class-names", "names.txt", "--quiet"}
	call(t, dir, nil, append(begin, "--labels", "labels.csv", "--out", "a", "--answers-from", "trusted.csv")...).ends(t, 0)
	for _, name := range []string{audit.IssuesFile, audit.LabelsFile, audit.TransitionFile, audit.ReportFile,
		audit.SummaryFile} {
		expect.Says(t, string(read(t, dir, "a", name)), "hate, or worse", "neither")
	}
	corrected, err := audit.At(filepath.Join(dir, "a")).Labels()
	if err != nil || corrected[0].Label != "hate, or worse" || corrected[1].Label != "1" ||
		corrected[2].Label != "neither" {
		t.Errorf("corrected labels %v, %v", corrected[:3], err)
	}

	const decided = "id,given,label,decision,time\n0,1,0,other,2026-01-02T03:04:05Z\n3,\"hate, or worse\",\"hate, or " +
		"worse\",accept,2026-01-02T03:04:05Z\n"
	write(t, filepath.Join(dir, "decisions.csv"), []byte(decided))
	again := append(begin, "--labels", "a/labels_corrected.csv", "--out", "b", "--answers-from", "decisions.csv", "--json")
	call(t, dir, nil, again...).says(t, `"name": "hate, or worse",`, `"trusted_labels": 2,`)
	issues := string(read(t, filepath.Join(dir, "b", audit.IssuesFile)))
	if strings.Contains(issues, ",0,0,") {
		t.Errorf("numbers in issues.csv:\n%s", issues[:200])
	}

	call(t, dir, nil, append(auditOfProbabilities, "c", "--class-names", "7=x")...).
		fails(t, app.ExitData, `names a class without training examples, 7 ("x"): the labels are "0", "1", "2"`)
}

// The demo writes its files, audits them and prints the next commands, which work.
func TestDemo(t *testing.T) {
	dir, vars := workplace(t)
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 100, 10)
	write(t, filepath.Join(dir, "mine.txt"), []byte("kept"))
	p := call(t, dir, vars, "demo", ".", "--quiet")
	p.says(t, "losscorr review audit", "audit/report.html", "this was: losscorr audit images",
		"after the review: run it again")
	s := expect.Got(audit.At(filepath.Join(dir, "audit")).Summary())(t)
	if s.Examples != 100 || s.Measured == nil || s.Measured.Wrong < 10 || s.Measured.Wrong > 30 {
		t.Errorf("an audit of %d examples, %+v", s.Examples, s.Measured)
	}
	expect.Says(t, string(read(t, dir, "audit", audit.ReportFile)), "losscorr export audit corrected-images.csv")
	call(t, dir, vars, "export", "audit", "corrected-images.csv").says(t, "corrected-images.csv: 100 labels")
	before := read(t, filepath.Join(dir, "labels.csv"))
	_, line, _ := strings.Cut(p.out.String(), "this was: losscorr ")
	line, _, _ = strings.Cut(line, "\n")
	call(t, dir, vars, append(strings.Fields(line), "--quiet")...).ends(t, 0)
	if string(read(t, filepath.Join(dir, "labels.csv"))) != string(before) ||
		string(read(t, filepath.Join(dir, "mine.txt"))) != "kept" {
		t.Error("the second audit has changed files")
	}
}

// The commands of benchmarks/ print the results of the packages: checks of all labels find the number of wrong ones,
// and questions go only to allowed people.
func TestSimulate(t *testing.T) {
	dir := t.TempDir()
	const n, wrongEvery = 300, 10
	p, wrong, labels := make([]float32, 0, 2*n), make([]float32, n), []byte("label\n")
	for k := range n {
		own, y := float32(.9), k%2
		if k%wrongEvery == 0 {
			wrong[k], own = 1, .2
		}
		p = append(p, own, 1-own)
		if y == 1 {
			p[2*k], p[2*k+1] = 1-own, own
		}
		labels = append(labels, byte('0'+y), '\n')
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
	writeNPY(t, filepath.Join(dir, "p.npy"), p, 2)
	answers := []float32{0, 0, 1, 1, 1, -1, 0, -1, 0, 1, 1, 1}
	may := make([]float32, len(answers))
	may[5] = 1 // the third person about the second example
	writeNPY(t, filepath.Join(dir, "wrong.npy"), wrong, 1)
	writeNPY(t, filepath.Join(dir, "answers.npy"), answers, 3)
	writeNPY(t, filepath.Join(dir, "may.npy"), may, 3)
	call(t, dir, nil, strings.Fields("audit --probabilities p.npy --labels labels.csv --out a --quiet")...).ends(t, 0)
	checks := prints[struct {
		Counts []struct{ Wrong, Low, High float64 }
	}](t, call(t, dir, nil, strings.Fields("simulate checks --checks 50 --checks 300 --repeat 2 a wrong.npy")...))
	if len(checks.Counts) != 4 {
		t.Fatalf("%d counts", len(checks.Counts))
	}
	for _, c := range checks.Counts[2:] {
		if math.Abs(c.Wrong-n/wrongEvery) > 1e-9 {
			t.Errorf("checks of all %d labels count %v wrong ones, want %d", n, c.Wrong, n/wrongEvery)
		}
	}
	found := prints[struct {
		Posterior []float64
		Questions []struct{ Task, Worker int }
	}](t, call(t, dir, nil, "simulate", "answers", "--ask", "4", "--may", "may.npy", "answers.npy"))
	if len(found.Posterior) != 8 {
		t.Fatalf("%d probabilities of 4 examples", len(found.Posterior))
	}
	if len(found.Questions) != 1 || found.Questions[0].Task != 1 || found.Questions[0].Worker != 2 {
		t.Errorf("questions %v, want one: example 1, person 2", found.Questions)
	}
}

// demo leaves a folder alone that has other files with its names.
func TestDemoRefuses(t *testing.T) {
	data := &dataset.Dataset{Classes: strings.Split("0123456789", "")}
	for k := range 20 {
		data.Train.Labels = append(data.Train.Labels, k%10)
	}
	data.Train.X, data.Train.Shape = make([]byte, 20*784), []int{784}
	for _, name := range []string{"labels.csv", "images/a.png", "audit/summary.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		makeFolder(t, filepath.Dir(path))
		write(t, path, []byte("mine"))
		if _, _, err := writeDemo(dir, data); app.Exit(err) != app.ExitData {
			t.Errorf("%s: %v", name, err)
		}
		glob(t, 1, dir, "*")
		if string(read(t, path)) != "mine" {
			t.Errorf("%s is replaced", name)
		}
	}
	dir := t.TempDir()
	for range 2 { // the second time, the files exist
		if n, wrong, err := writeDemo(dir, data); n != 20 || wrong == 0 || err != nil {
			t.Errorf("%d digits, %d wrong, %v", n, wrong, err)
		}
	}
	glob(t, 20, dir, demoImages, "*.png")
}
