package checking

// Answer is a person's answer to a check.
type Answer uint8

// The answers. A label is wrong if the example belongs to another class or to none; it is not
// wrong if several classes are right.
const (
	Unanswered Answer = iota
	Skipped           // the person cannot judge the label, which counts as not drawn
	Right
	Wrong     // another class is right
	Ambiguous // several classes are right
	None      // no class is right
)

func (a Answer) wrong() bool { return a == Wrong || a == None }
