package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
)

// A consensus has no label that is likelier wrong than right: its page and summary say no F1, nothing is
// suggested, and what is said of single labels is not there.
func TestConsensus(t *testing.T) {
	f, err := audittest.Texts(t.TempDir(), 60)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	s.Measured = &audit.Measured{Known: 60, Wrong: 5, AveragePrecision: .75}
	write := func(s audit.Summary) string {
		var b bytes.Buffer
		if err := Write(&b, Report{Dir: "audit", Summary: s}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	of := func(s audit.Summary) map[string]any {
		var out struct{ Measured map[string]any }
		text, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.Measured
	}
	const ranking = "Average precision of the ranking 0.750"
	single := write(s)
	if m := of(s); m["f1"] == nil || m["average_precision"] != .75 {
		t.Errorf("single labels: %v", m)
	}
	s.Crowd = &audit.People{People: 3, Answers: 180}
	consensus := write(s)
	if m := of(s); m["f1"] != nil || m["corrected"] != nil || m["average_precision"] != .75 {
		t.Errorf("a consensus: %v", m)
	}
	for _, text := range []string{"F1 above 50 %", "more likely wrong than right", "labels_corrected.csv", "How labels go wrong"} {
		if !strings.Contains(single, text) || strings.Contains(consensus, text) {
			t.Errorf("%q: want it on the page of single labels alone", text)
		}
	}
	for _, text := range []string{"How answers go wrong", "--ask 100", "consensus.csv", "of their consensus labels are wrong"} {
		if strings.Contains(single, text) || !strings.Contains(consensus, text) {
			t.Errorf("%q: want it on the page of a consensus alone", text)
		}
	}
	if !strings.Contains(single, ranking) || !strings.Contains(consensus, ranking) {
		t.Errorf("want %q on both pages", ranking)
	}
	s.Crowd.People = 1
	if text := write(s); strings.Contains(text, "1 people") || strings.Contains(text, "several people") || !strings.Contains(text, "Of the consensus of 1 person on 60 examples") {
		t.Errorf("the page of one person: %s", text)
	}
	s.Crowd.Asked = 7
	if text := write(s); !strings.Contains(text, `href="annotators.html#ask"`) || strings.Contains(text, "--ask 100") {
		t.Error("the examples to ask about are not linked")
	}
}
