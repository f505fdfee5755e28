package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/npy"
)

// Names of classes that are numbers are in all files of an audit, whose corrected labels and
// decisions are read beside the same data again; so are numbers that a person has decided.
func TestAuditNamesClasses(t *testing.T) {
	dir := t.TempDir()
	var labels []byte
	var p []float32
	for i := range 300 {
		truth := i % 3
		given := truth
		if i%10 == 0 {
			given = (truth + 1) % 3
		}
		row := []float32{.02, .02, .02}
		row[truth], row[(truth+1)%3] = .78, .2
		p, labels = append(p, row...), fmt.Appendf(labels, "%d\n", given)
	}
	write(t, filepath.Join(dir, "y.txt"), labels)
	write(t, filepath.Join(dir, "names.txt"), []byte("2=neither\n0=hate, or worse\n"))
	write(t, filepath.Join(dir, "trusted.csv"), []byte("id,label\n0,0\n1,1\n2,neither\n"))
	if err := npy.WriteFloat32(filepath.Join(dir, "p.npy"), p, 3); err != nil {
		t.Fatal(err)
	}
	begin := []string{"audit", "--probabilities", "p.npy", "--class-names", "names.txt", "--quiet"}
	start(t, dir, nil, append(begin, "--labels", "y.txt", "--out", "a", "--trusted", "trusted.csv")...).ends(t, 0)
	for _, name := range []string{audit.IssuesFile, audit.LabelsFile, audit.TransitionFile, audit.ReportFile, audit.SummaryFile} {
		contains(t, name, string(read(t, filepath.Join(dir, "a", name))), "hate, or worse", "neither")
	}
	corrected, err := audit.At(filepath.Join(dir, "a")).Labels()
	if err != nil || corrected[0].Label != "hate, or worse" || corrected[1].Label != "1" || corrected[2].Label != "neither" {
		t.Errorf("corrected labels %v, %v", corrected[:3], err)
	}

	const decided = "id,given,label,decision,time\n0,1,0,other,2026-01-02T03:04:05Z\n3,\"hate, or worse\",\"hate, or worse\",accept,2026-01-02T03:04:05Z\n"
	write(t, filepath.Join(dir, "decisions.csv"), []byte(decided))
	again := start(t, dir, nil, append(begin, "--labels", "a/labels_corrected.csv", "--out", "b", "--trusted", "decisions.csv", "--json")...)
	again.ends(t, 0)
	contains(t, "summary", again.out.String(), `"name": "hate, or worse",`, `"trusted_labels": 2,`)
	issues := string(read(t, filepath.Join(dir, "b", audit.IssuesFile)))
	if strings.Contains(issues, ",0,0,") {
		t.Errorf("numbers in issues.csv:\n%s", issues[:200])
	}

	for names, want := range map[string]string{
		"0=a,0=b": "the class 0 has two names", "0=a,1=a": "the classes 0 and 1 have one name", "0=1": "cannot be a number",
	} {
		wrong := start(t, dir, nil, "check", "y.txt", "--class-names", names)
		wrong.ends(t, app.ExitUsage)
		contains(t, "stderr", wrong.err.String(), "--class-names: ", want)
	}
	unused := start(t, dir, nil, "audit", "--probabilities", "p.npy", "--labels", "y.txt", "--class-names", "7=x", "--out", "c")
	unused.ends(t, app.ExitData)
	contains(t, "stderr", unused.err.String(), `--class-names names a class that no training example has, 7 ("x"): the labels are "0", "1", "2"`)
}

// noisify writes the names in all rows, of a table and of a file of labels.
func TestNoisifyNamesClasses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "t.csv"), []byte("text,label\n"+strings.Repeat("a,0\nb,1\n", 20)))
	write(t, filepath.Join(dir, "y.txt"), []byte(strings.Repeat("0\n1\n", 20)))
	for _, data := range []string{"t.csv", "y.txt"} {
		start(t, dir, nil, "noisify", data, "--noise", "symmetric:.5", "--class-names", "0=ham,1=spam", "--out", "noisy.csv").ends(t, 0)
		lines := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(dir, "noisy.csv")))), "\n")
		for _, line := range lines[1:] {
			if fields := strings.Split(line, ","); len(fields) != 3 || !strings.Contains("ham spam", fields[1]) || !strings.Contains("ham spam", fields[2]) {
				t.Fatalf("%s: %q", data, line)
			}
		}
		if err := os.Remove(filepath.Join(dir, "noisy.csv")); err != nil {
			t.Fatal(err)
		}
	}
}
