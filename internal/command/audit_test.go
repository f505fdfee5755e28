package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/published"
	"github.com/losscorr/losscorr/internal/npy"
)

// writeAuditable leaves n images of MNIST as X.npy and labels.csv, with true labels and
// those that the noise has made of them.
func writeAuditable(t *testing.T, dir string, n int, noise func(classes []string) (*correction.Matrix, error)) {
	t.Helper()
	d, err := published.Open("mnist", dataset.Options{Root: filepath.Join("..", "..", "data"), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := noise(d.Classes)
	if err != nil {
		t.Fatal(err)
	}
	given, err := matrix.Corrupt(d.Train.Labels[:n], rand.New(rand.NewPCG(14, 0)))
	if err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteBytes(filepath.Join(dir, "X.npy"), d.Train.X[:n*784], 784); err != nil {
		t.Fatal(err)
	}
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

// An audit of 12,000 images finds the wrong labels about as well as one of all 60,000
// (average precision .99): rows of the wrong parts, T transposed or labels out of place
// leave less. The second stage begins with an epoch of cross-entropy: without it a part
// may fall into forward's trap, which depends on the seed.
func TestAuditFindsWrongLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeAuditable(t, dir, 12000, asymmetric(.3))
	p := start(t, dir, vars, "audit", "X.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--json", "--quiet", "epochs=8")
	p.ends(t, 0)
	var s audit.Summary
	if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	m := s.Measured
	if m == nil || m.Known != 12000 {
		t.Fatalf("measured %+v of 12000", m)
	}
	t.Logf("average precision %.4f, F1 %.4f, corrected %.3f, expected %.0f of %d", m.AveragePrecision, m.F1, m.Corrected, s.Wrong.Low, m.Wrong)
	if m.AveragePrecision < .975 || m.F1 < .93 || m.Corrected < .92 {
		t.Errorf("average precision %.3f, F1 %.3f, corrected %.3f: want .975, .93, .92", m.AveragePrecision, m.F1, m.Corrected)
	}
	warm := 0
	for _, k := range auditRuns(t, filepath.Join(dir, "a")) {
		if bytes.Contains(k, []byte("loss: forward\n")) && bytes.Contains(k, []byte("warmup_epochs: 1\n")) {
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

// auditRuns returns the configurations of an audit's runs.
func auditRuns(t *testing.T, dir string) (configs [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, audit.RunsDir, "*", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		configs = append(configs, read(t, f))
	}
	return configs
}

// Probabilities and labels are enough: without DATA, no network is trained.
func TestAuditOfProbabilities(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 0))
	labels := []byte("label,truth\n")
	var p []float32
	for range 600 {
		truth := rng.IntN(3)
		given := truth
		if rng.IntN(5) == 0 {
			given = (truth + 1) % 3
		}
		for k := range 3 {
			p = append(p, map[bool]float32{true: .78, false: .02}[k == truth])
			if k == (truth+1)%3 {
				p[len(p)-1] = .2
			}
		}
		labels = fmt.Appendf(labels, "%d,%d\n", given, truth)
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
	if err := npy.WriteFloat32(filepath.Join(dir, "p.npy"), p, 3); err != nil {
		t.Fatal(err)
	}
	process := start(t, dir, nil, "audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--json", "--quiet")
	process.ends(t, 0)
	var s audit.Summary
	if err := json.Unmarshal(process.out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if m := s.Measured; m == nil || m.AveragePrecision < .99 || m.F1 < .99 {
		t.Errorf("measured %+v", m)
	}
	noisy, classes, err := audit.At(filepath.Join(dir, "a")).Noisy()
	if diff := cmp.Diff(p, noisy); err != nil || classes != 3 || diff != "" {
		t.Errorf("noisy probabilities of %d classes, %v (-given +kept):\n%s", classes, err, diff)
	}

	// Settings of networks would have no effect; those of the estimate have, and what the
	// environment says for all commands is no mistake of this one.
	process = start(t, dir, nil, "audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--out", "b", "--folds", "3", "epochs=20", "estimator.kappa=.2")
	process.ends(t, app.ExitUsage)
	contains(t, "stderr", process.err.String(), "--probabilities trains no network, so that --folds, epochs=20 would have no effect")
	start(t, dir, map[string]string{"LOSSCORR_DEVICE": "cpu"}, "audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--out", "b", "--quiet", "seed=3", "estimator.kappa=.2").ends(t, 0)
}

// A file of features beside probabilities finds similar examples, whose labels are evidence; one with rows of other
// examples is refused.
func TestAuditOfProbabilitiesWithFeatures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	rng := rand.New(rand.NewPCG(3, 1))
	labels := []byte("label,truth\n")
	var p, x []float32
	for range 900 {
		truth := rng.IntN(3)
		given := truth
		if rng.IntN(5) == 0 {
			given = (truth + 1 + rng.IntN(2)) % 3
		}
		row := []float32{.1, .1, .1}
		row[truth] = .8
		if rng.IntN(3) == 0 { // the model does not know it
			row = []float32{.34, .33, .33}
		}
		p = append(p, row...)
		for k := range 3 {
			x = append(x, float32(rng.NormFloat64()))
			if k == truth {
				x[len(x)-1] += 5
			}
		}
		labels = fmt.Appendf(labels, "%d,%d\n", given, truth)
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
	for name, values := range map[string][]float32{"p.npy": p, "x.npy": x, "few.npy": x[3:]} {
		if err := npy.WriteFloat32(filepath.Join(dir, name), values, 3); err != nil {
			t.Fatal(err)
		}
	}
	precision := func(more ...string) float64 {
		args := slices.Concat([]string{"audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--json", "--quiet"}, more)
		process := start(t, dir, vars, args...)
		process.ends(t, 0)
		var s audit.Summary
		if err := json.Unmarshal(process.out.Bytes(), &s); err != nil || s.Measured == nil {
			t.Fatalf("%v: %s", err, process.out.String())
		}
		return s.Measured.AveragePrecision
	}
	if before, after := precision(), precision("--features", "x.npy"); after < before+.05 {
		t.Errorf("average precision %.3f, without features %.3f", after, before)
	}
	process := start(t, dir, vars, "audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--out", "b", "--features", "few.npy")
	process.ends(t, app.ExitData)
	contains(t, "stderr", process.err.String(), "few.npy is an array [899 3], want [900 D]")
}

// Probabilities without names of columns, in the order of the network and not of the names, are
// refused with the order that fits; named, they are audited.
func TestAuditOfProbabilitiesInAnotherOrder(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 0))
	order := []string{"ship", "cat", "dog"} // of the network
	labels := []byte("label,truth\n")
	var p []float32
	for range 300 {
		truth := rng.IntN(3)
		given := truth
		if rng.IntN(5) == 0 {
			given = (truth + 1) % 3
		}
		for k := range 3 {
			p = append(p, map[bool]float32{true: .9, false: .05}[k == truth])
		}
		labels = fmt.Appendf(labels, "%s,%s\n", order[given], order[truth])
	}
	write(t, filepath.Join(dir, "labels.csv"), labels)
	write(t, filepath.Join(dir, "order.txt"), []byte("ship\ncat\ndog\n"))
	if err := npy.WriteFloat32(filepath.Join(dir, "p.npy"), p, 3); err != nil {
		t.Fatal(err)
	}
	args := []string{"audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--json", "--quiet"}
	process := start(t, dir, nil, args...)
	process.ends(t, app.ExitData)
	for _, want := range []string{
		`what is taken for "cat" fits "ship", "dog" fits "cat", "ship" fits "dog"`,
		"taken in the order of the classes, cat, dog, ship; they seem to be ship, cat, dog. Give --classes ship,cat,dog, or --classes cat,dog,ship if",
	} {
		if !strings.Contains(process.err.String(), want) {
			t.Errorf("%s\nwant %q", process.err.String(), want)
		}
	}
	for _, classes := range []string{"ship,cat,dog", "order.txt"} {
		process = start(t, dir, nil, append(args, "--classes", classes)...)
		process.ends(t, 0)
		var s audit.Summary
		if err := json.Unmarshal(process.out.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if m := s.Measured; m == nil || m.AveragePrecision < .95 {
			t.Errorf("measured %+v", m)
		}
	}
	// The user insists: this is a warning.
	process = start(t, dir, nil, append(args, "--classes", "cat,dog,ship")...)
	process.ends(t, 0)
	if !strings.Contains(process.out.String(), "Look whether the names of the columns are right") {
		t.Error(process.out.String())
	}
}

// An audit and a report replace no file that they have not written.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "y.txt"), []byte("a\nb\n"))
	write(t, filepath.Join(dir, "p.csv"), []byte("a,b\n.9,.1\n.1,.9\n"))
	for name, check := range map[string]func() string{
		"T_hat.csv": func() string {
			p := start(t, dir, nil, "audit", "--probabilities", "p.csv", "--labels", "y.txt", "--out", "mine")
			p.ends(t, app.ExitUsage)
			return p.err.String()
		},
		"table.tex": func() string {
			write(t, filepath.Join(dir, "c.yaml"), []byte("dataset: mnist\n"))
			p := start(t, dir, nil, "train", "c.yaml", "--out", "mine")
			p.ends(t, app.ExitUsage)
			return p.err.String()
		},
	} {
		path := filepath.Join(dir, "mine", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte("mine"))
		contains(t, name, check(), "would replace ", filepath.Join("mine", name)+", which is not one of")
		if string(read(t, path)) != "mine" {
			t.Errorf("%s is replaced", name)
		}
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
	}
}

// An audit keeps the files that people put into its folder, whatever their names, or says that they are in its way.
func TestFilesOfPeopleStay(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "y.txt"), []byte("a\nb\na\nb\n"))
	write(t, filepath.Join(dir, "p.csv"), []byte("a,b\n.9,.1\n.1,.9\n.8,.2\n.3,.7\n"))
	args := []string{"audit", "--probabilities", "p.csv", "--labels", "y.txt", "--out", "mine"}
	start(t, dir, nil, args...).ends(t, 0)
	names := []string{"answers.csv", "consensus.csv", "annotators.csv", "ask.csv", "likelihoods.npy", "T_annotators.npy"}
	for _, name := range names {
		write(t, filepath.Join(dir, "mine", name), []byte("id,given,stratum,probability,true\n"))
	}
	start(t, dir, nil, args...).ends(t, 0)
	for _, name := range names {
		if text := string(read(t, filepath.Join(dir, "mine", name))); text != "id,given,stratum,probability,true\n" {
			t.Errorf("%s is %q", name, text)
		}
	}
	p := start(t, dir, nil, append(args, "--checked", "mine/labels_corrected.csv")...)
	p.ends(t, app.ExitUsage)
	contains(t, "checked", p.err.String(), "labels_corrected.csv is read, and would be replaced")

	write(t, filepath.Join(dir, "mine", "duplicates.csv"), []byte("mine\n"))
	p = start(t, dir, nil, args...)
	p.ends(t, app.ExitUsage)
	contains(t, "duplicates", p.err.String(), "duplicates.csv, which no audit wrote: move it away")

	p = start(t, dir, nil, "review", "mine", "--random", "10", "--write", filepath.Join("mine", "unreadable.csv"))
	p.ends(t, app.ExitData)
	contains(t, "write", p.err.String(), "unreadable.csv has the name of a file of the audit: choose another one")
}

// Kill -9 at any moment, and again: the audit that is resumed writes the files of the
// one that nothing has disturbed, to the byte, but for its time.
func TestAuditResumesAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeAuditable(t, dir, 1500, asymmetric(.3))
	begin := func() *process {
		return start(t, dir, vars, "audit", "X.npy", "--labels", "labels.csv", "--truth", "truth", "--out", "a", "--quiet", "epochs=4", "batch_size=8")
	}
	begun := time.Now()
	begin().ends(t, 0)
	whole := time.Since(begun)
	want := filesOfAudit(t, filepath.Join(dir, "a"))
	if len(want) != 9 { // with source.json and the lock
		t.Fatalf("%d files", len(want))
	}
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "undisturbed")); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for range 5 {
		p := begin()
		time.Sleep(whole/8 + rand.N(whole/4))
		send(t, p, os.Kill)
		if p.Wait() != nil {
			killed++
		}
	}
	if killed < 2 {
		t.Errorf("killed %d times only", killed)
	}
	begin().ends(t, 0)
	if diff := cmp.Diff(want, filesOfAudit(t, filepath.Join(dir, "a"))); diff != "" {
		t.Errorf("after %d kills (-undisturbed +got):\n%s", killed, diff)
	}
}

// shownTime is the time in report.html.
var shownTime = regexp.MustCompile(`finished [^<]*? s,`)

// filesOfAudit returns the files of an audit without when it ended and how long it took.
func filesOfAudit(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	found, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data := read(t, path)
		switch name := filepath.Base(path); name {
		case audit.SummaryFile:
			for line := range bytes.Lines(data) {
				if !bytes.HasPrefix(line, []byte(`  "seconds": `)) && !bytes.HasPrefix(line, []byte(`  "finished": `)) {
					files[name] = append(files[name], line...)
				}
			}
		case audit.ReportFile:
			if !shownTime.Match(data) {
				t.Errorf("%s shows no time", name)
			}
			files[name] = shownTime.ReplaceAll(data, nil)
		default:
			files[name] = data
		}
	}
	return files
}
