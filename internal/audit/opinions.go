package audit

import (
	"cmp"
	"maps"
	"slices"
)

// Opinions are people's present decisions about one example, oldest first: each reviewer's last decision and last
// settlement of a conflict, unless undone.
type Opinions []Opinion

// Opinion is a decision that counts.
type Opinion struct {
	Decision
	First Decision // the reviewer's first decision, before others' decisions were visible
}

// Tally collects the opinions of all reviewers by the names of the examples.
type Tally map[string]Opinions

// TallyOf collects opinions from decisions in the order of the file.
func TallyOf(decisions []Decision) Tally {
	t := make(Tally)
	for _, d := range decisions {
		t.Add(d)
	}
	return t
}

// Add adds a decision, which replaces only the same reviewer's.
func (t Tally) Add(d Decision) {
	o := t[d.ID]
	first := d
	if at := slices.IndexFunc(o, func(x Opinion) bool {
		return x.Reviewer == d.Reviewer && x.Settles() == d.Settles()
	}); at >= 0 {
		if first = o[at].First; first.Action == Skip {
			first = d
		}
		o = slices.Delete(o, at, at+1)
	}
	if d.Action != Undo {
		o = append(o, Opinion{d, first})
	}
	if t[d.ID] = o; len(o) == 0 {
		delete(t, d.ID)
	}
}

// On returns the opinions that still apply to an example with the given label.
func (o Opinions) On(given string) Opinions {
	return slices.DeleteFunc(slices.Clone(o), func(x Opinion) bool { return !x.Holds(given) })
}

// Told returns the opinions without settlements and skips.
func (o Opinions) Told() Opinions {
	return slices.DeleteFunc(slices.Clone(o), func(x Opinion) bool { return !x.counts() })
}

// counts reports whether an opinion is neither a settlement nor a skip.
func (x Opinion) counts() bool { return !x.Settles() && x.Action != Skip }

// Verdict combines the opinions of all reviewers. It is the last settlement; without one, the decision that all who
// did not skip agree on, or a Conflict, which decides nothing. It has no Action if there is no opinion. Opinions on
// an earlier label than the newest one's do not count.
func (o Opinions) Verdict() Decision {
	switch len(o) {
	case 0:
		return Decision{}
	case 1:
		return o[0].Decision
	}
	newest := o[len(o)-1].Decision
	o = o.On(newest.Given)
	for _, x := range slices.Backward(o) {
		if x.Settles() {
			return x.Decision
		}
	}
	told := o.Told()
	if len(told) == 0 {
		return newest
	}
	last := told[len(told)-1].Decision
	for _, x := range told {
		if !x.agrees(last) {
			return Decision{ID: last.ID, Given: last.Given, Action: Conflict, Time: newest.Time}
		}
	}
	return last
}

// agrees reports whether two decisions are equal.
func (d Decision) agrees(other Decision) bool { return d.verdict() == other.verdict() }

// verdict returns the label of a decision or, without one, its action.
func (d Decision) verdict() [2]string {
	if d.Decides() {
		return [2]string{d.Label, ""}
	}
	return [2]string{"", string(d.Action)}
}

// Agreement is how often two reviewers agreed without seeing each other's decisions.
type Agreement struct {
	First  string   `json:"first"`
	Second string   `json:"second"`
	Both   int      `json:"both"` // examples that both have decided
	Same   int      `json:"same"` // examples with the same decision
	Kappa  *float64 `json:"kappa"`
}

// leastShared is the number of examples that two reviewers must share for a kappa.
const leastShared = 10

// Agreements compares each pair of reviewers by their first decisions about the examples that both have decided. With
// the share p of equal decisions, and the share chance expected from how often each gives which answer,
//
//	kappa = (p - chance) / (1 - chance)
//
// of Cohen (1960). Answers from files do not count, since a file may show other people's answers. "Several fit" and
// "none fits" count as classes. Kappa is nil for fewer than ten examples, and if both always give the same answer.
func (t Tally) Agreements() []Agreement {
	type pair struct{ first, second string }
	both := map[pair][][2][2]string{}
	for _, o := range t {
		if len(o) < 2 {
			continue
		}
		told := o.On(o[len(o)-1].Given).Told()
		for k, x := range told {
			for _, y := range told[k+1:] {
				if x.First.Why == InFile || y.First.Why == InFile {
					continue
				}
				if x.Reviewer > y.Reviewer {
					x, y = y, x
				}
				key := pair{x.Reviewer, y.Reviewer}
				both[key] = append(both[key], [2][2]string{x.First.verdict(), y.First.verdict()})
			}
		}
	}
	var out []Agreement
	for key, said := range both {
		a := Agreement{First: key.first, Second: key.second, Both: len(said)}
		count := [2]map[[2]string]int{{}, {}}
		for _, s := range said {
			if s[0] == s[1] {
				a.Same++
			}
			count[0][s[0]]++
			count[1][s[1]]++
		}
		chance, all := 0, a.Both*a.Both // integers, so that the order of the sum does not matter
		for verdict, times := range count[0] {
			chance += times * count[1][verdict]
		}
		if a.Both >= leastShared && chance < all {
			kappa := float64(a.Same*a.Both-chance) / float64(all-chance)
			a.Kappa = &kappa
		}
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b Agreement) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return out
}

// Verdicts returns the verdict on each example by its name; where reviewers disagree, a Conflict.
func (t Tally) Verdicts() map[string]Decision {
	verdicts := make(map[string]Decision, len(t))
	for id, o := range t {
		verdicts[id] = o.Verdict()
	}
	return verdicts
}

// Last returns the verdict on each example by its name.
func Last(decisions []Decision) map[string]Decision { return TallyOf(decisions).Verdicts() }

// Outcomes returns the verdict on each example by its name, without skipped and undone ones.
func Outcomes(decisions []Decision) map[string]Decision {
	last := Last(decisions)
	maps.DeleteFunc(last, func(_ string, d Decision) bool { return d.Action == Skip })
	return last
}
