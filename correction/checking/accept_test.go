package checking

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// reviewed checks the labels e in a random order and returns the verdict and the number of checks.
func reviewed(t *testing.T, w []float64, e []bool, limit, reject float64, seed uint64) (Verdict, int) {
	t.Helper()
	a := expect.Got(NewAcceptance(w, limit, reject, .05))(t)
	for k, x := range Order(len(w), seed) {
		answer := Right
		if e[x] {
			answer = Wrong
		}
		if a.Add(x, answer); a.Verdict() != Undecided {
			return a.Verdict(), k + 1
		}
	}
	return a.Verdict(), len(w)
}

// labels returns n labels with a share of wrong ones, and probabilities w that are informative, uninformative or
// misleading.
func labels(rng *rand.Rand, n int, share float64, kind string) (w []float64, e []bool) {
	w, e = make([]float64, n), make([]bool, n)
	for x := range int(math.Ceil(share * float64(n))) {
		e[x] = true
	}
	rng.Shuffle(n, func(i, j int) { e[i], e[j] = e[j], e[i] })
	for x := range w {
		switch sure := rng.Float64(); {
		case kind == "none":
		case e[x] == (kind == "good"):
			w[x] = .5 + .5*sure
		default:
			w[x] = .05 * sure
		}
	}
	return w, e
}

// A set at the limit is accepted, and a set at the share to reject at is rejected, with a probability of 5 % at most,
// for good and bad w, although the reviewer looks after each check. At .05, 7 or more of 40 have a probability of
// .003. A good w saves most checks.
func TestAcceptanceRisk(t *testing.T) {
	const n, reviews, most = 2000, 40, 6
	needed := map[string]float64{}
	for _, kind := range []string{"none", "good", "reversed"} {
		for _, share := range []float64{.03, .015} {
			rng, wrong, checks := rand.New(rand.NewPCG(1, 2)), 0, []float64(nil)
			for seed := range uint64(reviews) {
				w, e := labels(rng, n, share, kind)
				limit, reject, bad := .03, .06, Accepted // at the limit
				if share < .03 {
					limit, reject, bad = .01, .015, Rejected // at the share to reject at
				}
				if verdict, _ := reviewed(t, w, e, limit, reject, seed); verdict == bad {
					wrong++
				}
				if share < .03 {
					verdict, count := reviewed(t, w, e, .03, .06, seed)
					if verdict == Rejected {
						t.Errorf("%s: half of the limit is rejected", kind)
					}
					checks = append(checks, float64(count))
				}
			}
			if wrong > most {
				t.Errorf("w %s, share %v: %d of %d verdicts are wrong", kind, share, wrong, reviews)
			}
			if share < .03 {
				needed[kind] = median(checks)
			}
		}
	}
	t.Logf("checks to accept 1.5 %% at a limit of 3 %%: %v", needed)
	if needed["good"] > 350 || needed["none"] < 1.5*needed["good"] {
		t.Errorf("checks needed: %v", needed)
	}
}

// The limits of the share of wrong labels, in the whole set and in a part, hold at their risk although one looks
// again and again. They agree with the verdict, and once all labels are checked they equal the share.
func TestAcceptanceRate(t *testing.T) {
	const n, reviews, most = 450, 50, 14 // at most 14 of 3 x 50 fail with probability .99 if each fails with .05
	part := func(x int) bool { return x%3 == 0 }
	failed := [4]int{}
	for _, kind := range []string{"none", "good", "reversed"} {
		rng := rand.New(rand.NewPCG(3, 4))
		for seed := range uint64(reviews) {
			w, e := labels(rng, n, .08, kind)
			inPart, inAll := 0., 0.
			for x, wrong := range e {
				if inAll += indicator(wrong); part(x) {
					inPart += indicator(wrong)
				}
			}
			a, bad := expect.Got(NewAcceptance(w, .12, .2, .05))(t), [4]bool{}
			for k, x := range Order(n, seed) {
				if a.Add(x, map[bool]Answer{true: Wrong, false: Right}[e[x]]); k%150 != 149 {
					continue
				}
				all, third := a.Rate(nil, 1), a.Rate(part, 1)
				for k, no := range []bool{all.Low > inAll/n, all.High < inAll/n, third.Low > inPart*3/n,
					third.High < inPart*3/n} {
					bad[k] = bad[k] || no
				}
				if a.Verdict() == Accepted && all.High >= .12 || a.Verdict() == Rejected && all.Low <= .2 {
					t.Fatalf("%s after %d checks: %+v", a.Verdict(), k+1, all)
				}
				if wide := a.Rate(part, 10); wide.Low > third.Low || wide.High < third.High {
					t.Fatalf("one part of ten has the limits %+v, the only one %+v", wide, third)
				}
			}
			if r := a.Rate(nil, 1); r.Low != inAll/n || r.High != inAll/n || r.Wrong != int(inAll) || r.Checked != n {
				t.Errorf("all are checked, %v are wrong: %+v", inAll, r)
			}
			for k, no := range bad {
				failed[k] += int(indicator(no))
			}
		}
	}
	if t.Logf("limits that failed %v", failed); slices.Max(failed[:]) > most {
		t.Errorf("limits failed in %v of %d reviews", failed, 3*reviews)
	}
}

// Once all labels are checked the verdict is the truth.
func TestAcceptanceOfAll(t *testing.T) {
	for _, wrong := range []int{0, 1, 2, 3, 10} {
		e := make([]bool, 40)
		for x := range wrong {
			e[x] = true
		}
		verdict, _ := reviewed(t, make([]float64, 40), e, .06, .06, 7) // 2.4 labels
		expect.Same(t, map[bool]Verdict{true: Accepted, false: Rejected}[wrong <= 2], verdict, wrong, "wrong labels of 40")
	}
}

// A skipped label counts as wrong for accepting and right for rejecting; an ambiguous one counts as right for both.
func TestAcceptanceSkips(t *testing.T) {
	w := make([]float64, 500)
	for answer, want := range map[Answer]Verdict{Skipped: Undecided, Ambiguous: Accepted, None: Rejected} {
		a := expect.Got(NewAcceptance(w, .05, .1, .05))(t)
		for x := range 499 {
			a.Add(x, answer)
		}
		expect.Same(t, want, a.Verdict(), "answers", answer)
	}
}

// A clean set needs few checks, a set at half of the limit more, and a set at the limit has no end.
func TestExpected(t *testing.T) {
	w := slices.Repeat([]float64{.001}, 3000)
	for k := range 60 {
		w[50*k] = .8
	}
	a := expect.Got(NewAcceptance(w, .03, .06, .05))(t)
	clean, half, limit := a.Expected(0), a.Expected(.015), a.Expected(.03)
	if clean < 50 || clean > 250 || half < clean/2 || half > 600 || limit < 2*half || limit < 1000 {
		t.Errorf("%d, %d and %d checks", clean, half, limit)
	}
	checked, wrong := a.Checked()
	expect.Same(t, []any{0, 0, Undecided}, []any{checked, wrong, a.Verdict()}, "the test after Expected")
	for _, bad := range [][3]float64{{0, .1, .05}, {.1, .05, .05}, {.1, .1, 1}, {.1, 1, .05}, {math.NaN(), .1, .05}} {
		expect.Fails(t, expect.Err(NewAcceptance(w, bad[0], bad[1], bad[2])), "checking: ")
	}
	expect.Fails(t, expect.Err(NewAcceptance([]float64{2}, .1, .1, .05)), "2 is not a probability")
}
