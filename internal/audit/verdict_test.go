package audit

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction"
)

// The result of an audit is a sentence. Before any checks it names the next step.
func TestSummaryVerdict(t *testing.T) {
	const wide, narrow = " Check 25 at random to narrow this down.", " Check 25 at random to test this."
	checked := &Checked{Checked: 50, Wrong: 1234, Interval: correction.Interval{Low: 900, High: 1561}}
	for want, s := range map[string]Summary{
		"Between 5,500 and 11,900 of 60,000 labels look wrong." + wide: {Examples: 60000,
			Wrong: Wrong{Low: 5501, High: 11893}},
		"About 2,000 of 9,000 labels look wrong." + narrow: {Examples: 9000,
			Wrong: Wrong{Low: 1996, High: 2004}},
		"Up to 12 of 500 labels look wrong, perhaps none." + narrow: {Examples: 500,
			Wrong: Wrong{Low: .4, High: 12}},
		"None of 1,000 labels looks wrong." + narrow: {Examples: 1000,
			Wrong: Wrong{High: .4}},
		"Between 2 and 5 of 20 labels look wrong. Check 20 at random to narrow this down.": {Examples: 20,
			Wrong: Wrong{Low: 2, High: 5}},
		"About 1,230 of 9,000 labels are wrong, between 900 and 1,560, by 50 random checks.": {Examples: 9000,
			Wrong: Wrong{Low: 1, High: 2}, Random: checked},
		"Between 2 and 5 of 60 labels in the consensus of 3 people look wrong." +
			narrow: {Examples: 60, Wrong: Wrong{Low: 2, High: 5}, Crowd: &People{People: 3}},
		"About 1 of 12 labels is wrong, by 12 random checks.": {Examples: 12, Crowd: &People{People: 3},
			Random: &Checked{Checked: 12, Wrong: 1, Interval: correction.Interval{Low: 1, High: 1}}},
	} {
		if got := verdict(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

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
