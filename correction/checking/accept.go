package checking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// Acceptance tests whether fewer than a share of N labels are wrong, one random check after the other. Whoever looks
// may stop at any time: the probability that a set is accepted whose share of wrong labels is Limit or more is at most
// Risk, whatever the mistakes are like and whatever w is; likewise that one is rejected whose share is Reject or less.
//
// The labels are checked in a random order, without replacement (Acceptance.Order). With e = 1 for a wrong label, 0
// for a right one, u = (1 - (e - w))/2 is in [0, 1], and "Limit or more are wrong" means that the mean of u over all
// N labels is at most mu = (1 - (Limit - mean w))/2. The capital of bets against that is a martingale (Waudby-Smith,
// Stark and Ramdas, RiLACS, 2021): with mu_t the largest mean that the labels left can then have,
//
//	K = prod over checks t of (1 + lambda_t (u_t - mu_t)),   lambda_t from the checks before t, at most .9/mu_t
//
// and if the set is that bad, K reaches 1/Risk with probability Risk at most. K is a mean over several rules for lambda,
// over w and over w = 0: a poor w costs little, and a good one saves most checks.
type Acceptance struct {
	Limit, Reject, Risk float64

	w       []float64
	accept  bets // that fewer than Limit are wrong
	reject  bets // that more than Reject are
	verdict Verdict
	checks  []acceptanceCheck
}

// acceptanceCheck is a label that was checked: whether it counts as wrong for accepting, and for rejecting.
type acceptanceCheck struct {
	x                int
	wrong, rejecting bool
}

// Verdict is the state of an Acceptance.
type Verdict string

// The verdicts. A set that is accepted or rejected stays so.
const (
	Undecided Verdict = "undecided"
	Accepted  Verdict = "accepted"
	Rejected  Verdict = "rejected"
)

// NewAcceptance begins a test of labels whose probabilities of being wrong are w, which must be fixed before the first
// check; zeros will do. It is an error if a share is not in (0, 1), if reject is above limit, or if w is empty or holds
// anything but probabilities.
func NewAcceptance(w []float64, limit, reject, risk float64) (*Acceptance, error) {
	for name, v := range map[string]float64{"limit": limit, "share to reject at": reject, "risk": risk} {
		if !(v > 0 && v < 1) {
			return nil, fmt.Errorf("checking: the %s is %v, want a number between 0 and 1", name, v)
		}
	}
	if len(w) == 0 || reject < limit {
		return nil, fmt.Errorf("checking: accept %d labels below %v and reject them above %v", len(w), limit, reject)
	}
	if err := validate(w); err != nil {
		return nil, err
	}
	return &Acceptance{Limit: limit, Reject: reject, Risk: risk, w: w, verdict: Undecided,
		accept: newBets(w, limit, -1), reject: newBets(w, reject, 1)}, nil
}

// Order returns the order in which N labels are checked, by a seed that is drawn once the labels are fixed.
func Order(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0)).Perm(n) }

// Add takes the answer to the check of the next label in the order, whose index is x. A label that the person could not
// judge counts as wrong for accepting and as right for rejecting. Panics if it is Unanswered.
func (a *Acceptance) Add(x int, answer Answer) {
	if answer == Unanswered {
		panic("checking: a check without an answer")
	}
	c := acceptanceCheck{x: x, wrong: answer.wrong() || answer == Skipped, rejecting: answer.wrong()}
	a.checks = append(a.checks, c)
	a.accept.add(a.w[x], c.wrong)
	a.reject.add(a.w[x], c.rejecting)
	switch {
	case a.verdict != Undecided:
	case a.accept.capital() >= 1/a.Risk:
		a.verdict = Accepted
	case a.reject.capital() >= 1/a.Risk:
		a.verdict = Rejected
	}
}

// Verdict returns what the checks so far say.
func (a *Acceptance) Verdict() Verdict { return a.verdict }

// Checked returns how many labels were checked, and how many of these were wrong.
func (a *Acceptance) Checked() (checked, wrong int) {
	for _, c := range a.checks {
		if c.rejecting {
			wrong++
		}
	}
	return len(a.checks), wrong
}

// Rate is the share of wrong labels in a part of a set. Low and High are the limits of the share that the checks do not
// refute. Each limit is wrong with a probability of at most the risk that it was computed for, whenever one looks.
type Rate struct {
	Labels  int     `json:"labels"`
	Checked int     `json:"checked"`
	Wrong   int     `json:"wrong"` // of those that were checked
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// Rate returns the share of wrong labels among those in a part; nil: among all. The limits are at the risk of a, divided
// by parts: the number of parts that one looks at.
func (a *Acceptance) Rate(in func(x int) bool, parts int) Rate {
	var w []float64
	for x := range a.w {
		if in == nil || in(x) {
			w = append(w, a.w[x])
		}
	}
	r := Rate{Labels: len(w), High: 1}
	var checks []acceptanceCheck // of the part, whose order is random, too
	for _, c := range a.checks {
		if in == nil || in(c.x) {
			checks = append(checks, c)
			r.Checked++
			r.Wrong += int(indicator(c.rejecting))
		}
	}
	if r.Labels == 0 || r.Checked == 0 {
		return r
	}
	n, risk := float64(r.Labels), a.Risk/float64(parts)
	refuted := func(wrong int, sign float64) bool { // that so many labels of the part are wrong
		b := newBets(w, float64(wrong)/n, sign)
		return slices.ContainsFunc(checks, func(c acceptanceCheck) bool {
			b.add(a.w[c.x], sign < 0 && c.wrong || sign > 0 && c.rejecting)
			return b.capital() >= 1/risk
		})
	}
	fewest := sort.Search(r.Labels, func(k int) bool { return !refuted(k, 1) })
	most := r.Labels - sort.Search(r.Labels, func(k int) bool { return !refuted(r.Labels-k, -1) })
	possible := r.Labels // wrong labels: all but those that are known to be right
	for _, c := range checks {
		possible -= int(indicator(!c.wrong))
	}
	r.Low, r.High = float64(min(max(fewest, r.Wrong), possible))/n, float64(max(min(most, possible), r.Wrong))/n
	return r
}

// Expected returns the number of checks that half of simulated reviews need for a verdict if a share of the labels is
// wrong, N if half of them need that many. Labels are wrong in proportion to w, the others that are wrong anywhere.
func (a *Acceptance) Expected(share float64) int {
	const reviews, simulated = 51, 20_000 // labels at most, for which others stand
	n := len(a.w)
	if n > simulated {
		w := make([]float64, simulated)
		for k := range w {
			w[k] = a.w[k*(n/simulated)]
		}
		fewer, _ := NewAcceptance(w, a.Limit, a.Reject, a.Risk) // as a was
		return fewer.Expected(share)
	}
	p, mean := make([]float64, n), floats.Sum(a.w)/float64(n)
	for x, w := range a.w {
		p[x] = min(1, w*share/max(mean, share))
	}
	had := floats.Sum(p) / float64(n)
	for x := range p { // what w does not explain may be anywhere
		p[x] += (1 - p[x]) * (share - had) / (1 - had)
	}
	needs := make([]float64, reviews)
	for k := range needs {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		b, _ := NewAcceptance(a.w, a.Limit, a.Reject, a.Risk) // as a was
		needs[k] = float64(n)
		for t, x := range Order(n, uint64(k)) {
			answer := Right
			if rng.Float64() < p[x] {
				answer = Wrong
			}
			if b.Add(x, answer); b.verdict != Undecided {
				needs[k] = float64(t + 1)
				break
			}
		}
	}
	return int(median(needs))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// bets are a bet by w, and one by w = 0, that the share of wrong labels is below one (sign -1) or above it (sign 1).
type bets struct {
	by, without *bet
	sign        float64
}

func newBets(w []float64, share, sign float64) bets {
	mean := floats.Sum(w) / float64(len(w))
	return bets{by: newBet(len(w), (1+sign*(share-mean))/2, share), without: newBet(len(w), (1+sign*share)/2, share),
		sign: sign}
}

// add takes a check of a label by its w.
func (b bets) add(w float64, wrong bool) {
	b.by.add((1 + b.sign*(indicator(wrong)-w)) / 2)
	b.without.add((1 + b.sign*indicator(wrong)) / 2)
}

func (b bets) capital() float64 { return byW*b.by.capital() + (1-byW)*b.without.capital() }

// The weights of the mean K, and what the rule that follows the checks imagines before the first: numbers whose mean is
// above mu by a quarter of the share that is bet on, with a quarter of it as their variance. They were chosen by the
// checks that benchmarks/accept.py needs for the aggregated and the clean labels with Swin's probabilities. The risk does
// not depend on them.
const (
	byW      = .7 // of the bet by w
	byChecks = .6 // of the rule for lambda that follows the checks
	imagined = 10 // numbers
)

// fractions of the largest lambda are the rules that do not depend on the checks.
var fractions = []float64{.05, .1, .2, .4, .7, 1}

const (
	mostStake = .9   // lambda mu
	rounding  = 1e-9 // of sums
)

// bet is capital against the mean of n numbers in [0, 1], drawn one by one, being at most mu.
type bet struct {
	left         float64   // n mu, less the sum of the numbers that were drawn
	n            int       // numbers that were not drawn
	logs         []float64 // of the capital of each rule; the last one's lambda follows the numbers drawn
	sum, squares float64   // of the numbers that were drawn
	count        float64
	share        float64 // that is bet on
}

func newBet(n int, mu, share float64) *bet {
	return &bet{left: float64(n) * mu, n: n, logs: make([]float64, len(fractions)+1),
		share: max(share, 1/float64(n))}
}

// add takes the next number.
func (b *bet) add(u float64) {
	mu := b.left / float64(b.n)
	if mu > rounding && mu < 1 {
		for k, fraction := range fractions {
			b.logs[k] += math.Log1p(fraction * mostStake / mu * (u - mu))
		}
		b.logs[len(fractions)] += math.Log1p(b.lambda(mu) * (u - mu))
	}
	b.left -= u
	b.n--
	b.sum, b.squares, b.count = b.sum+u, b.squares+u*u, b.count+1
}

// lambda is the stake by the mean and variance of the numbers that were drawn, with the imagined ones.
func (b *bet) lambda(mu float64) float64 {
	first := mu + b.share/4
	mean := (b.sum + imagined*first) / (b.count + imagined)
	variance := (b.squares+imagined*(first*first+b.share/4))/(b.count+imagined) - mean*mean
	gain := mean - mu
	return min(max(gain/(variance+gain*gain), 0), mostStake/mu)
}

func (b *bet) capital() float64 {
	if b.left < -rounding { // the mean is certainly above mu
		return math.Inf(1)
	}
	fixed := floats.LogSumExp(b.logs[:len(fractions)]) - math.Log(float64(len(fractions)))
	return (1-byChecks)*math.Exp(fixed) + byChecks*math.Exp(b.logs[len(fractions)])
}

// median is that of numbers, the lower one of two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)-1)/2]
}
