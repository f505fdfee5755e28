package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
)

// Several people's answers to a folder of photos, from the audit to the training: the answers name
// the files, and one photo has none.
func TestAnswersToPhotos(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vars := realVars(t, dir)
	writePhotos(t, filepath.Join(dir, "made"))
	if err := os.MkdirAll(filepath.Join(dir, "photos", "day"), 0o755); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(51, 52))
	answers, names := "file_name,annotator,label\n", []string{"cat", "dog"}
	for k := range 60 {
		class := k % 2
		name := fmt.Sprintf("day/%02d.png", (7*k)%60) // another order than that of the classes
		if err := os.Rename(filepath.Join(dir, "made", names[class], fmt.Sprintf("%02d.png", k)), filepath.Join(dir, "photos", name)); err != nil {
			t.Fatal(err)
		}
		for _, r := range rng.Perm(4)[:3] {
			said := class
			if k == 59 {
				break
			}
			if rng.Float64() < .08*float64(r) {
				said = 1 - class
			}
			answers += fmt.Sprintf("%s,p%d,%s\n", name, r, names[said])
		}
	}
	write(t, filepath.Join(dir, "answers.csv"), []byte(answers))
	p := start(t, dir, vars, "audit", "photos", "--answers", "answers.csv", "--ask", "5", "--out", "a", "--quiet", "epochs=6")
	p.ends(t, 0)
	contains(t, "stdout", p.out.String(), "1 examples have no answer", "ask.csv (5 examples)", "annotators.html")
	folder := audit.At(filepath.Join(dir, "a"))
	labels, err := folder.Consensus()
	if err != nil || len(labels) != 60 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	right := 0
	for _, l := range labels {
		var k int
		if _, err := fmt.Sscanf(l.ID, "day/%d.png", &k); err != nil {
			t.Fatal(err)
		}
		if l.Label == names[(43*k)%60%2] { // 43 is 1/7 modulo 60
			right++
		}
	}
	if right < 56 {
		t.Errorf("%d of 60 consensus labels are right", right)
	}
	questions, err := folder.Questions()
	if err != nil || len(questions) != 5 || !strings.HasPrefix(questions[0].Task, "day/") {
		t.Errorf("questions %+v, %v", questions, err)
	}
	if page := string(read(t, folder.Path(audit.ReportFile))); !strings.Contains(page, "data:image/") || !strings.Contains(page, "annotators.html") {
		t.Error("the page has no photo or no link to the people")
	}
	start(t, dir, vars, "review", "a", "--random", "20", "--write", "sheet.csv").ends(t, 0)
	start(t, dir, vars, "train", "--audit", "a", "--out", "runs", "--quiet", "epochs=1").ends(t, 0)
	if files, err := filepath.Glob(filepath.Join(dir, "runs", "*", "result.json")); err != nil || len(files) != 3 {
		t.Errorf("%d runs, %v", len(files), err)
	}
}
