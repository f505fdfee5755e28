package command

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/npy"
)

// The commands of benchmarks/ print what the packages compute: checks of all labels count those that are wrong, and
// only people who may be asked are.
func TestSimulate(t *testing.T) {
	t.Parallel()
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
	answers := []float32{0, 0, 1, 1, 1, -1, 0, -1, 0, 1, 1, 1}
	may := make([]float32, len(answers))
	may[5] = 1 // the third person about the second example
	for name, x := range map[string]struct {
		values  []float32
		columns int
	}{"p.npy": {p, 2}, "wrong.npy": {wrong, 1}, "answers.npy": {answers, 3}, "may.npy": {may, 3}} {
		if err := npy.WriteFloat32(filepath.Join(dir, name), x.values, x.columns); err != nil {
			t.Fatal(err)
		}
	}
	start(t, dir, nil, "audit", "--probabilities", "p.npy", "--labels", "labels.csv", "--out", "a", "--quiet").ends(t, 0)
	process := start(t, dir, nil, "simulate", "checks", "--checks", "50", "--checks", "300", "--repeat", "2", "a", "wrong.npy")
	process.ends(t, 0)
	var checks struct {
		Counts []struct{ Wrong, Low, High float64 }
	}
	if err := json.Unmarshal(process.out.Bytes(), &checks); err != nil || len(checks.Counts) != 4 {
		t.Fatalf("%d counts, %v", len(checks.Counts), err)
	}
	for _, c := range checks.Counts[2:] {
		if math.Abs(c.Wrong-n/wrongEvery) > 1e-9 {
			t.Errorf("checks of all %d labels count %v wrong ones, want %d", n, c.Wrong, n/wrongEvery)
		}
	}
	process = start(t, dir, nil, "simulate", "answers", "--ask", "4", "--may", "may.npy", "answers.npy")
	process.ends(t, 0)
	var found struct {
		Posterior []float64
		Questions []struct{ Task, Worker int }
	}
	if err := json.NewDecoder(bytes.NewReader(process.out.Bytes())).Decode(&found); err != nil || len(found.Posterior) != 8 {
		t.Fatalf("%d probabilities of 4 examples, %v", len(found.Posterior), err)
	}
	for task, label := range []int{0, 1, 0, 1} {
		if found.Posterior[2*task+label] <= .5 {
			t.Errorf("the consensus of example %d is %v, want class %d", task, found.Posterior[2*task:2*task+2], label)
		}
	}
	if len(found.Questions) != 1 || found.Questions[0].Task != 1 || found.Questions[0].Worker != 2 {
		t.Errorf("questions %v, want one: example 1, person 2", found.Questions)
	}
}
