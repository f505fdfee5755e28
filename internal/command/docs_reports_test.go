package command

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
)

// The commands of docs/reports.md work as they stand.
func TestReportsGuide(t *testing.T) {
	guide := string(read(t, filepath.Join("..", "..", "docs", "reports.md")))
	dir := t.TempDir()
	for _, id := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb"} {
		finished(t, filepath.Join(dir, "runs", "mnist"), id, "forward", uint64(id[0]-'a'+1))
	}
	t.Chdir(dir)
	ran := 0
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		for line := range strings.Lines(block[1]) {
			words := strings.Fields(line)
			var code int
			var diagnostics string
			switch words[1] {
			case "report":
				code, _, diagnostics = reported(words[2:]...)
			default:
				t.Fatalf("an example of another command: %s", line)
			}
			if code != app.ExitDone {
				t.Errorf("%s exit code %d: %s", line, code, diagnostics)
			}
			ran++
		}
	}
	if ran < 7 {
		t.Errorf("%d examples ran", ran)
	}
	for _, name := range []string{"report/report.html", "table2/table.tex", "report/runs.csv"} {
		read(t, name)
	}
}
