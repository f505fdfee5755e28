package checking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// Acceptance tests sequentially, by random checks, whether fewer than a share Limit of N labels are wrong. The
// reviewer may stop at any time. A set whose share of wrong labels is Limit or more is accepted with a probability of
// at most Risk, and a set whose share is Reject or less is rejected with at most Risk, whatever the mistakes and w
// are.
//
// Labels are checked in a random order without replacement ([Order]). Let e be 1 for a wrong label and 0 for a right
// one. Then u = (1 - (e - w))/2 is in [0, 1], and "Limit or more are wrong" means that the mean of u over all N
// labels is at most mu = (1 - (Limit - mean w))/2. The capital K of bets against this hypothesis is a martingale
// (Waudby-Smith, Stark and Ramdas, RiLACS, 2021). With mu_t the largest mean of the remaining labels under the
// hypothesis,
//
//	K = prod over checks t of (1 + lambda_t (u_t - mu_t)),   lambda_t from the checks before t, at most .9/mu_t
//
// and under the hypothesis K reaches 1/Risk with probability Risk at most. K is a mean over several rules for lambda,
// each with w and with w = 0, so that a good w saves most checks and a poor one costs little.
type Acceptance struct {
	Limit, Reject, Risk float64

	w       []float64
	accept  bets // bets that fewer than Limit are wrong
	reject  bets // bets that more than Reject are wrong
	verdict Verdict
	checks  []acceptanceCheck
}

// acceptanceCheck is a checked label and whether it counts as wrong for accepting and for rejecting.
type acceptanceCheck struct {
	x                int
	wrong, rejecting bool
}

// Verdict is the state of an Acceptance.
type Verdict string

// The verdicts. Accepted and Rejected are final.
const (
	Undecided Verdict = "undecided"
	Accepted  Verdict = "accepted"
	Rejected  Verdict = "rejected"
)

// NewAcceptance begins a test of labels. w[x] is the probability that label x is wrong, fixed before the first check;
// zeros will do. It is an error if a share is not in (0, 1), reject is above limit, or w is empty or holds anything
// but probabilities.
func NewAcceptance(w []float64, limit, reject, risk float64) (*Acceptance, error) {
	for name, v := range map[string]float64{"limit": limit, "share to reject at": reject, "risk": risk} {
		if !(v > 0 && v < 1) {
			return nil, fmt.Errorf("checking: the %s is %v: use a number between 0 and 1", name, v)
		}
	}
	if len(w) == 0 || reject < limit {
		return nil, fmt.Errorf("checking: cannot accept %d labels below %v and reject them above %v", len(w), limit,
			reject)
	}
	if err := validate(w); err != nil {
		return nil, err
	}
	return &Acceptance{Limit: limit, Reject: reject, Risk: risk, w: w, verdict: Undecided,
		accept: newBets(w, limit, -1), reject: newBets(w, reject, 1)}, nil
}

// Order returns a random order of n labels for their checks. Draw the seed after the labels are fixed.
func Order(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0)).Perm(n) }

// Add records the answer for label x, the next one of the order. A label that the person could not judge counts as
// wrong for accepting and as right for rejecting. Panics if the answer is Unanswered.
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

// Verdict returns the verdict after the checks so far.
func (a *Acceptance) Verdict() Verdict { return a.verdict }

// Checked returns how many labels were checked and how many of them were wrong.
func (a *Acceptance) Checked() (checked, wrong int) {
	for _, c := range a.checks {
		if c.rejecting {
			wrong++
		}
	}
	return len(a.checks), wrong
}

// Rate is the share of wrong labels in a part of a set. The checks refute shares below Low and above High. Each limit
// errs with at most the probability that it was computed for, however often one looks.
type Rate struct {
	Labels  int     `json:"labels"`
	Checked int     `json:"checked"`
	Wrong   int     `json:"wrong"` // wrong labels among the checked ones
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// Rate returns the share of wrong labels in a part of the set, or in all of it if in is nil. The limits have the risk
// of a divided by parts, the number of parts that one looks at.
func (a *Acceptance) Rate(in func(x int) bool, parts int) Rate {
	var w []float64
	for x := range a.w {
		if in == nil || in(x) {
			w = append(w, a.w[x])
		}
	}
	r := Rate{Labels: len(w), High: 1}
	var checks []acceptanceCheck // in the part; their order is random as well
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
	refuted := func(wrong int, sign float64) bool { // whether this many wrong labels in the part are refuted
		b := newBets(w, float64(wrong)/n, sign)
		return slices.ContainsFunc(checks, func(c acceptanceCheck) bool {
			b.add(a.w[c.x], sign < 0 && c.wrong || sign > 0 && c.rejecting)
			return b.capital() >= 1/risk
		})
	}
	fewest := sort.Search(r.Labels, func(k int) bool { return !refuted(k, 1) })
	most := r.Labels - sort.Search(r.Labels, func(k int) bool { return !refuted(r.Labels-k, -1) })
	possible := r.Labels // most wrong labels: all but those found right
	for _, c := range checks {
		possible -= int(indicator(!c.wrong))
	}
	r.Low, r.High = float64(min(max(fewest, r.Wrong), possible))/n, float64(max(min(most, possible), r.Wrong))/n
	return r
}

// Expected simulates reviews of labels with the given share of wrong ones and returns the median number of checks
// until a verdict, at most N. Wrong labels are drawn in proportion to w, and any beyond sum w uniformly.
func (a *Acceptance) Expected(share float64) int {
	const reviews, simulated = 51, 20_000 // simulated: sample size of larger sets
	n := len(a.w)
	if n > simulated {
		w := make([]float64, simulated)
		for k := range w {
			w[k] = a.w[k*(n/simulated)]
		}
		fewer, _ := NewAcceptance(w, a.Limit, a.Reject, a.Risk) // these were valid for a
		return fewer.Expected(share)
	}
	p, mean := make([]float64, n), floats.Sum(a.w)/float64(n)
	for x, w := range a.w {
		p[x] = min(1, w*share/max(mean, share))
	}
	had := floats.Sum(p) / float64(n)
	for x := range p { // what w does not explain is spread evenly
		p[x] += (1 - p[x]) * (share - had) / (1 - had)
	}
	needs := make([]float64, reviews)
	for k := range needs {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		b, _ := NewAcceptance(a.w, a.Limit, a.Reject, a.Risk) // these were valid for a
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

// bets is a pair of bets, one with w and one with w = 0, that the share of wrong labels is below a limit (sign -1) or
// above it (sign 1).
type bets struct {
	by, without *bet
	sign        float64
}

func newBets(w []float64, share, sign float64) bets {
	mean := floats.Sum(w) / float64(len(w))
	return bets{by: newBet(len(w), (1+sign*(share-mean))/2, share), without: newBet(len(w), (1+sign*share)/2, share),
		sign: sign}
}

// add records a check of a label with probability w.
func (b bets) add(w float64, wrong bool) {
	b.by.add((1 + b.sign*(indicator(wrong)-w)) / 2)
	b.without.add((1 + b.sign*indicator(wrong)) / 2)
}

func (b bets) capital() float64 { return byW*b.by.capital() + (1-byW)*b.without.capital() }

// The weights of the mean K and the prior of the adaptive rule for lambda: pseudo-observations whose mean exceeds mu
// by a quarter of the share bet on and whose variance is a quarter of it. They minimise the checks that
// benchmarks/accept.py needs for the aggregated and the clean labels with Swin's probabilities. The risk does not
// depend on them.
const (
	byW         = .7 // weight of the bet with w
	byChecks    = .6 // weight of the adaptive rule
	priorWeight = 10 // pseudo-observations
)

// fractions are the fixed rules, as shares of the largest lambda.
var fractions = []float64{.05, .1, .2, .4, .7, 1}

const (
	mostStake = .9   // lambda mu
	rounding  = 1e-9 // tolerance of sums
)

// bet is the capital of a bet that n numbers in [0, 1], drawn one by one, have a mean above mu.
type bet struct {
	left         float64   // n mu minus the sum of the numbers drawn
	n            int       // numbers not yet drawn
	logs         []float64 // log capital of each rule; the last rule is the adaptive one
	sum, squares float64   // of the numbers drawn
	count        float64
	share        float64 // bet on
}

func newBet(n int, mu, share float64) *bet {
	return &bet{left: float64(n) * mu, n: n, logs: make([]float64, len(fractions)+1),
		share: max(share, 1/float64(n))}
}

// add records the next number.
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

// lambda returns the adaptive stake, from the mean and variance of the numbers drawn and the pseudo-observations.
func (b *bet) lambda(mu float64) float64 {
	first := mu + b.share/4
	mean := (b.sum + priorWeight*first) / (b.count + priorWeight)
	variance := (b.squares+priorWeight*(first*first+b.share/4))/(b.count+priorWeight) - mean*mean
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

// median returns the lower median.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)-1)/2]
}
