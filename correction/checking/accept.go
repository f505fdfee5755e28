package checking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
// and if the set is that bad, K reaches 1/Risk with probability Risk at most. K is the mean over several rules for
// lambda, of which the one by the checks so far has half of the weight, over w and over w = 0: a poor w costs little,
// and a good one saves most checks.
type Acceptance struct {
	Limit, Reject, Risk float64

	n       int
	w       []float64
	accept  []*bet // that fewer than Limit are wrong: by w, and by w = 0
	reject  []*bet // that more than Reject are
	verdict Verdict
	checked int
	wrong   int
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
	a := &Acceptance{Limit: limit, Reject: reject, Risk: risk, n: len(w), w: w, verdict: Undecided}
	for _, mean := range []float64{floats.Sum(w) / float64(len(w)), 0} {
		a.accept = append(a.accept, newBet(len(w), (1-(limit-mean))/2))
		a.reject = append(a.reject, newBet(len(w), (1+(reject-mean))/2))
	}
	return a, nil
}

// Order returns the order in which N labels are checked, by a seed that is drawn once the labels are fixed.
func Order(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0)).Perm(n) }

// Add takes the answer to the check of the next label in the order, whose index is x. A label that the person could not
// judge counts as wrong for accepting and as right for rejecting. Panics if it is Unanswered.
func (a *Acceptance) Add(x int, answer Answer) {
	if answer == Unanswered {
		panic("checking: a check without an answer")
	}
	bad, good := answer.wrong() || answer == Skipped, answer.wrong()
	for k, w := range []float64{a.w[x], 0} {
		a.accept[k].add((1 - (indicator(bad) - w)) / 2)
		a.reject[k].add((1 + (indicator(good) - w)) / 2)
	}
	a.checked++
	if good {
		a.wrong++
	}
	switch {
	case a.verdict != Undecided:
	case capital(a.accept) >= 1/a.Risk:
		a.verdict = Accepted
	case capital(a.reject) >= 1/a.Risk:
		a.verdict = Rejected
	}
}

// Verdict returns what the checks so far say.
func (a *Acceptance) Verdict() Verdict { return a.verdict }

// Checked returns how many labels were checked, and how many of these were wrong.
func (a *Acceptance) Checked() (checked, wrong int) { return a.checked, a.wrong }

// Expected returns the number of checks that half of simulated reviews need for a verdict if a share of the labels is
// wrong, N if half of them need that many. Labels are wrong in proportion to w, the others that are wrong anywhere.
func (a *Acceptance) Expected(share float64) int {
	const reviews, simulated = 51, 20_000 // labels at most, for which others stand
	if a.n > simulated {
		w := make([]float64, simulated)
		for k := range w {
			w[k] = a.w[k*(a.n/simulated)]
		}
		fewer, _ := NewAcceptance(w, a.Limit, a.Reject, a.Risk) // as a was
		return fewer.Expected(share)
	}
	p, mean := make([]float64, a.n), floats.Sum(a.w)/float64(a.n)
	for x, w := range a.w {
		p[x] = min(1, w*share/max(mean, share))
	}
	had := floats.Sum(p) / float64(a.n)
	for x := range p { // what w does not explain may be anywhere
		p[x] += (1 - p[x]) * (share - had) / (1 - had)
	}
	needs := make([]float64, reviews)
	for k := range needs {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		b, _ := NewAcceptance(a.w, a.Limit, a.Reject, a.Risk) // as a was
		needs[k] = float64(a.n)
		for t, x := range Order(a.n, uint64(k)) {
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

// capital is the mean of the capitals of bets.
func capital(bets []*bet) (sum float64) {
	for _, b := range bets {
		sum += b.capital() / float64(len(bets))
	}
	return sum
}

// fractions of the largest lambda are the rules that do not depend on the checks before.
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
}

func newBet(n int, mu float64) *bet {
	return &bet{left: float64(n) * mu, n: n, logs: make([]float64, len(fractions)+1)}
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

// lambda is the stake by the mean and variance of the numbers that were drawn, with one imagined number 1/2 and its
// variance 1/4.
func (b *bet) lambda(mu float64) float64 {
	mean := (b.sum + .5) / (b.count + 1)
	variance := (b.squares+.5)/(b.count+1) - mean*mean
	gain := mean - mu
	return min(max(gain/(variance+gain*gain), 0), mostStake/mu)
}

func (b *bet) capital() float64 {
	if b.left < -rounding { // the mean is certainly above mu
		return math.Inf(1)
	}
	fixed := floats.LogSumExp(b.logs[:len(fractions)]) - math.Log(float64(len(fractions)))
	return (math.Exp(fixed) + math.Exp(b.logs[len(fractions)])) / 2
}

// median is that of numbers, the lower one of two.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)-1)/2]
}
