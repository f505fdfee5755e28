package audit

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/internal/humanize"
)

// verdict is the result of an audit in a sentence.
func verdict(s Summary) string {
	if s.Random != nil {
		return s.Random.Verdict(s.Examples)
	}
	if s.Model == NoModel {
		return "No audit has judged these labels yet."
	}
	where := ""
	if s.Crowd != nil {
		where = " in the consensus of " + humanize.People(s.Crowd.People)
	}
	return between(s.Wrong, s.Examples, where) + " " + next(s.Wrong, s.Examples)
}

// FirstChecks is the recommended number of random checks to begin with.
const FirstChecks = 25

// narrow is the width, as a share of all labels, below which a range of wrong labels is narrow.
const narrow = .1

// next recommends random checks for a range.
func next(w Wrong, examples int) string {
	purpose := "narrow this down"
	if w.High-w.Low < narrow*float64(examples) {
		purpose = "test this"
	}
	return fmt.Sprintf("Check %d at random to %s.", min(examples, FirstChecks), purpose)
}

// between states how many labels look wrong before any is checked. where follows the number of
// labels.
func between(w Wrong, examples int, where string) string {
	low, high, of := humanize.About(w.Low), humanize.About(w.High), humanize.Number(examples)
	look := "look"
	if high == "1" {
		look = "looks"
	}
	switch {
	case math.Round(w.High) < 1:
		return fmt.Sprintf("None of %s labels%s looks wrong.", of, where)
	case low == high:
		return fmt.Sprintf("About %s of %s labels%s %s wrong.", high, of, where, look)
	case math.Round(w.Low) < 1:
		return fmt.Sprintf("Up to %s of %s labels%s %s wrong, perhaps none.", high, of, where, look)
	}
	return fmt.Sprintf("Between %s and %s of %s labels%s look wrong.", low, high, of, where)
}

// Verdict returns the result of random checks as a sentence. labels is the number of all labels.
func (c Checked) Verdict(labels int) string {
	return fmt.Sprintf("About %s of %s labels are wrong, between %s and %s, by %s random checks.",
		humanize.About(c.Wrong), humanize.Number(labels), humanize.About(c.Interval.Low), humanize.About(c.Interval.High),
		humanize.Number(c.Checked))
}
