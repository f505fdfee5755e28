package audit

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// An audit prints its verdict, then the first warnings, then what the labels look like.
func TestAuditPrintsFewWarnings(t *testing.T) {
	for _, n := range []int{0, 6, 9} {
		s := Summary{Examples: 100, Verdict: "Between 7 and 12.",
			Confusions: []Confusion{{Given: "a", Suggested: "b", Count: 3}}}
		for k := range n {
			s.Warnings = append(s.Warnings, fmt.Sprintf("number %d", k))
		}
		var out bytes.Buffer
		if err := s.WriteText(&out, "x"); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		if !strings.HasPrefix(lines[0], "Between 7 and 12.") {
			t.Errorf("the first line is %q", lines[0])
		}
		var want []string
		for k := range min(n, 6) {
			want = append(want, fmt.Sprintf("warning: number %d", k))
		}
		if n > 6 {
			want[5] = fmt.Sprintf("%d more warnings in %s", n-5, filepath.Join("x", ReportFile))
		}
		want = append(want, `  3 labelled "a" look like "b"`)
		if got := lines[1 : 1+len(want)]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d warnings: %q, want %q", n, got, want)
		}
	}
}
