package page

import (
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
)

// A consensus has no label that is likelier wrong than right: its page has no F1 and offers no corrections.
func TestConsensus(t *testing.T) {
	f, s := texts(t, 60)
	s.Measured = &audit.Measured{Known: 60, Wrong: 5, AveragePrecision: .75}
	matrix, err := f.Transition()
	if err != nil {
		t.Fatal(err)
	}
	write := func() string { return written(t, Report{Dir: "audit", Summary: s, T: matrix}) }
	single := write()
	s.Crowd, s.Changes = &audit.People{People: 3, Answers: 180}, nil
	consensus := write()
	for _, text := range []string{"F1 above 50 %", "more likely wrong than right", "labels_corrected.csv", "How labels go wrong"} {
		if !strings.Contains(single, text) || strings.Contains(consensus, text) {
			t.Errorf("%q: want it only on the page of single labels", text)
		}
	}
	for _, text := range []string{"How answers go wrong", "--ask 100", "consensus.csv", "of their consensus labels are wrong"} {
		if strings.Contains(single, text) || !strings.Contains(consensus, text) {
			t.Errorf("%q: want it only on the page of a consensus", text)
		}
	}
	const ranking = "Average precision of the ranking 0.750"
	if !strings.Contains(single, ranking) || !strings.Contains(consensus, ranking) {
		t.Errorf("want %q on both pages", ranking)
	}
	s.Crowd.People, s.Crowd.Asked = 1, 7
	text := write()
	if strings.Contains(text, "1 people") || strings.Contains(text, "several people") {
		t.Errorf("the page of one person: %s", text)
	}
	if !strings.Contains(text, `href="annotators.html#ask"`) || strings.Contains(text, "--ask 100") {
		t.Error("the examples to ask about are not linked")
	}
}
