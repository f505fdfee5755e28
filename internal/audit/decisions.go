package audit

import (
	"fmt"
	"time"

	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Action is a person's answer about an example.
type Action string

// The actions. A person's last one about an example counts.
const (
	Accept    Action = "accept"    // the given label is right
	Suggested Action = "suggested" // the suggested label is right
	Other     Action = "other"     // another label is right
	Ambiguous Action = "ambiguous" // several classes fit
	None      Action = "none"      // no class fits
	Skip      Action = "skip"      // the person does not know
	Undo      Action = "undo"      // the person takes the answer back

	// Conflict is the verdict of several reviewers who disagree. No answer in the log has it.
	Conflict Action = "conflict"
)

// Why is the reason why a person was asked about an example.
type Why string

// The reasons.
const (
	AtRandom   Why = "random"     // it was drawn at random, to count the wrong labels
	Doubtful   Why = "doubtful"   // its label looks wrong, or the person picked it from the list
	Second     Why = "second"     // for a second opinion
	Settlement Why = "settlement" // to settle a conflict: the answer is not an opinion beside the others
	InFile     Why = "file"       // the answer was read from a file (--answers-from), which may show what others said
)

// Decision is a person's answer to whether a label is right: a line of decisions.jsonl.
type Decision struct {
	Time     time.Time `json:"time,omitzero"`     // in seconds
	Reviewer string    `json:"who,omitempty"`     // "" for someone who reviews alone
	ID       string    `json:"id"`                // of the example
	Given    string    `json:"given,omitempty"`   // its label at the time of the decision; "" if unknown
	Action   Action    `json:"answer"`            //
	Label    string    `json:"label,omitempty"`   // the right label; "" for Ambiguous, None, Skip and Undo
	Why      Why       `json:"why,omitempty"`     //
	Seconds  float64   `json:"seconds,omitempty"` // from showing the example to the answer; 0 if unknown
	From     string    `json:"from,omitempty"`    // the file of an InFile answer
}

// Settles reports whether the decision settles a conflict.
func (d Decision) Settles() bool { return d.Why == Settlement }

// Decides reports whether the decision names the right label.
func (d Decision) Decides() bool { return d.Label != "" }

// Holds reports whether the decision still applies to an example with the given label: the label is the
// same as then, or has been corrected as decided. Otherwise another example may have the name by now.
func (d Decision) Holds(given string) bool {
	return d.Given == "" || given == d.Given || given == d.Label
}

// check returns an error if the fields of an answer contradict each other.
func (d Decision) check() error {
	switch d.Action {
	case Accept, Suggested, Other:
		if d.Label == "" {
			return fmt.Errorf("example %q: answer %q without a label", d.ID, d.Action)
		}
		if (d.Action == Accept) != (d.Label == d.Given) {
			return fmt.Errorf("example %q: answer %q with the label %q where %q is given", d.ID, d.Action, d.Label, d.Given)
		}
	case Ambiguous, None, Skip, Undo:
		if d.Label != "" {
			return fmt.Errorf("example %q: answer %q with a label", d.ID, d.Action)
		}
	default:
		return fmt.Errorf("example %q: unknown answer %q", d.ID, d.Action)
	}
	return nil
}

// withNames replaces numbers of classes in decisions by their names in the source, which may be newer
// than the decision.
func withNames(decisions []Decision, s own.Source) []Decision {
	names := s.Naming()
	for k := range decisions {
		d := &decisions[k]
		d.Given, d.Label = names.ClassName(d.Given), names.ClassName(d.Label)
	}
	return decisions
}

// Settled is who settled the label of an example.
type Settled int

const (
	ByAudit   Settled = iota
	ByPeople          // people, by a decision
	Undecided         // people, who found that several classes fit, or none
	Stale             // the audit, since the decision was about another label
	Disputed          // the audit, since reviewers disagree
)

// Settle returns the label of an example by the decision about it or, where none holds, by the audit.
func (d Decision) Settle(given, audited string) (string, Settled) {
	switch {
	case d.Action == "":
		return audited, ByAudit
	case !d.Holds(given):
		return audited, Stale
	case d.Action == Conflict:
		return audited, Disputed
	case !d.Decides():
		return given, Undecided
	}
	return d.Label, ByPeople
}

// Now is the time of a decision.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }
