package page

import (
	"testing"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/expect"
)

// No label of a consensus is likelier wrong than right, so its page has no F1 and offers no corrections.
func TestConsensus(t *testing.T) {
	f, s := texts(t, 60)
	s.Measured = &audit.Measured{Known: 60, Wrong: 5, AveragePrecision: .75}
	matrix := expect.Got(f.Transition())(t)
	write := func() string { return written(t, Report{Dir: "audit", Summary: s, T: matrix}) }
	single := write()
	s.Crowd, s.Changes = &audit.People{People: 3, Answers: 180}, nil
	consensus := write()
	ofSingle := []string{"F1 above 50 %", "more likely wrong than right", "labels_corrected.csv", "How labels go wrong"}
	ofCrowd := []string{"How answers go wrong", "--ask 100", "consensus.csv", "of their consensus labels are wrong"}
	has(t, single, true, append(ofSingle, "Average precision of the ranking 0.750")...)
	has(t, single, false, ofCrowd...)
	has(t, consensus, true, append(ofCrowd, "Average precision of the ranking 0.750")...)
	has(t, consensus, false, ofSingle...)
	s.Crowd.People, s.Crowd.Asked = 1, 7
	one := write()
	has(t, one, true, `href="annotators.html#ask"`)
	has(t, one, false, "1 people", "several people", "--ask 100")
}
