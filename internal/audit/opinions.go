package audit

import (
	"cmp"
	"maps"
	"slices"
)

// Opinions are what people say of one example, the oldest first: each reviewer's last decision that is
// not undone, and each one's last settlement of a conflict.
type Opinions []Opinion

// Opinion is a decision that stands.
type Opinion struct {
	Decision
	First Decision // of the reviewer, before any change of mind; what others said was hidden then
}

// Tally collects the opinions of all reviewers by the names of the examples.
type Tally map[string]Opinions

// TallyOf collects the opinions of decisions in the order of the file.
func TallyOf(decisions []Decision) Tally {
	t := make(Tally)
	for _, d := range decisions {
		t.Add(d)
	}
	return t
}

// Add takes a further decision. It replaces that of the same reviewer alone.
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

// On returns the opinions that hold of an example whose label is given now.
func (o Opinions) On(given string) Opinions {
	if !slices.ContainsFunc(o, func(x Opinion) bool { return !x.Holds(given) }) {
		return o
	}
	return slices.DeleteFunc(slices.Clone(o), func(x Opinion) bool { return !x.Holds(given) })
}

// Told are the opinions that are no settlement and not skipped.
func (o Opinions) Told() Opinions {
	if !slices.ContainsFunc(o, func(x Opinion) bool { return !x.counts() }) {
		return o
	}
	return slices.DeleteFunc(slices.Clone(o), func(x Opinion) bool { return !x.counts() })
}

// counts reports whether an opinion is no settlement and not skipped.
func (x Opinion) counts() bool { return !x.Settles() && x.Action != Skip }

// Verdict is what all reviewers say together: the last settlement; without one, what all who did not skip
// agree on. Where they do not agree it is a Conflict, which decides nothing. Without an opinion it has no
// Action. Opinions on another label than the newest one count no longer.
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

// agrees reports whether two decisions say the same of an example.
func (d Decision) agrees(other Decision) bool { return d.verdict() == other.verdict() }

// verdict is what a decision says: its label, or the action of one without a label.
func (d Decision) verdict() [2]string {
	if d.Decides() {
		return [2]string{d.Label, ""}
	}
	return [2]string{"", string(d.Action)}
}

// Agreement is how often two reviewers who did not see each other's decisions said the same.
type Agreement struct {
	First  string   `json:"first"`
	Second string   `json:"second"`
	Both   int      `json:"both"` // examples that both have decided
	Same   int      `json:"same"` // of them those with the same decision
	Kappa  *float64 `json:"kappa"`
}

// leastShared is the number of examples that two reviewers have decided from which on a kappa is reported.
const leastShared = 10

// Agreements compares each two reviewers by the first decision of each on the examples that both have
// decided. With the share p of equal decisions and that of chance by how often each says what,
//
//	kappa = (p - chance) / (1 - chance)
//
// of Cohen (1960). An answer of a file does not count, as the file shows what others said. "Several fit" and "none
// fits" are classes of their own. Kappa is nil for fewer than ten examples, and where both always say one and the same.
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
		chance, all := 0, a.Both*a.Both // of pairs of decisions, whole numbers: their sum has no order
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

// Last returns what all reviewers say together of each example, by its name: where they disagree, a
// Conflict.
func Last(decisions []Decision) map[string]Decision {
	tally := TallyOf(decisions)
	last := make(map[string]Decision, len(tally))
	for id, o := range tally {
		last[id] = o.Verdict()
	}
	return last
}

// Outcomes returns what all reviewers say together of each example, unless it was skipped or undone.
func Outcomes(decisions []Decision) map[string]Decision {
	last := Last(decisions)
	maps.DeleteFunc(last, func(_ string, d Decision) bool { return d.Action == Skip })
	return last
}
