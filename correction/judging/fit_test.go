package judging

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/internal/correctiontest"
	"github.com/losscorr/losscorr/internal/expect"
)

// made holds examples with clean posteriors and the logits of networks that did not learn the noise:
//
//	z = .6 (log g + normal error) + shift of the class
type made struct {
	t            *correction.Matrix
	g, logits    []float32
	truth, given []int
}

func newMade(t *testing.T, rng *rand.Rand, m *correction.Matrix, n int, deviation float64) made {
	t.Helper()
	c := m.Dim()
	clean := correctiontest.Simplex(rng, n, c, func(int) float64 { return 1 - .5*rng.Float64()*rng.Float64() })
	e := correctiontest.Drawn(t, rng, m, clean)
	d := made{t: m, truth: e.Labels, given: e.Noisy}
	for _, row := range clean {
		for k, p := range row {
			d.g = append(d.g, float32(p))
			d.logits = append(d.logits, float32(.6*(math.Log(max(p, 1e-6))+deviation*rng.NormFloat64())+.5*float64(k%3-1)))
		}
	}
	return d
}

func (d made) fit(t *testing.T, in Input) Fitted {
	t.Helper()
	in.Logits, in.Labels, in.T = d.logits, d.given, d.t
	return expect.Got(Fit(in))(t)
}

// entropy returns the cross-entropy of g with the true classes.
func (d made) entropy(g []float32) (mean float64) {
	c := d.t.Dim()
	for x, y := range d.truth {
		mean -= math.Log(max(float64(g[x*c+y]), 1e-9)) / float64(len(d.truth))
	}
	return mean
}

// Fit recovers posteriors that were scaled and shifted, and T from a start with four fifths of the noise.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for _, c := range []int{4, 10} {
		d := newMade(t, rng, correctiontest.RandomMatrix(t, rng, c), 3000*c, 0)
		truth, less := d.t, estimators.Evidence{Share: .8}.Of(d.t)
		for _, refit := range []bool{false, true} {
			f := d.fit(t, Input{Refit: refit})
			off := 0.
			for i, v := range f.G {
				off += math.Abs(float64(v-d.g[i])) / float64(len(f.G))
			}
			before, after := correction.RowError(d.t, truth), correction.RowError(f.T, truth)
			if off > .02 || refit && after > before/2 || !refit && f.T != d.t {
				t.Errorf("%d classes: posteriors are off by %.4f, T by %.3f, before by %.3f", c, off, after, before)
			}
			d.t = less
		}
	}
}

// Logits of networks trained with the forward loss are scaled but not shifted.
func TestFitOfCorrected(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	d := newMade(t, rng, correctiontest.RandomMatrix(t, rng, 3), 2000, 0)
	for _, corrected := range []bool{true, false} {
		g, least, most := d.fit(t, Input{Corrected: corrected}).G, math.Inf(1), math.Inf(-1)
		for i := 0; i < len(g); i += 3 {
			if z := float64(d.logits[i] - d.logits[i+1]); math.Abs(z) > .5 && min(g[i], g[i+1]) > 1e-3 {
				scale := math.Log(float64(g[i]/g[i+1])) / z
				least, most = min(least, scale), max(most, scale)
			}
		}
		if (most-least < 1e-3) != corrected {
			t.Errorf("corrected is %v: scales of %.4f to %.4f", corrected, least, most)
		}
	}
}

// Informative evidence sharpens the posterior, and uninformative evidence leaves it as it is. Later rounds use only
// the best ridge.
func TestFitWithEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	d := newMade(t, rng, correctiontest.RandomMatrix(t, rng, 3), 4000, 1.5)
	members := make([][]int32, 3)
	for x, y := range d.truth {
		members[y] = append(members[y], int32(x))
	}
	without := d.entropy(d.fit(t, Input{}).G)
	for _, known := range []float64{.8, 0} { // of the classes
		check := func(name string, with float64) {
			if limit := without * (1.01 - known/5); with > limit {
				t.Errorf("%s that know %v: cross-entropy %.4f, want %.4f; %.4f without", name, known, with, limit, without)
			}
		}
		near := slices.Repeat([]int32{-1}, 10*len(d.truth))
		for k := range near {
			if of := members[d.truth[k/10]]; rng.Float64() < known {
				near[k] = of[rng.IntN(len(of))]
			} else if k%10 > 0 {
				near[k] = int32(rng.IntN(len(d.truth)))
			}
		}
		check("neighbours", d.entropy(d.fit(t, Input{Near: near}).G))
		var asked [][]float64
		discriminants := func(shares []float32, ridges []float64) (all [][]float32) {
			asked = append(asked, ridges)
			for _, ridge := range ridges {
				z := make([]float32, len(shares))
				for i := range z {
					z[i] = float32(known*math.Log(float64(d.g[i])+1e-6) + (.8+math.Abs(ridge-1))*rng.NormFloat64())
				}
				all = append(all, z)
			}
			return all
		}
		check("discriminants", d.entropy(d.fit(t, Input{Discriminants: discriminants}).G))
		if again := [][]float64{Ridges, {1}, {1}}; known > 0 && !slices.EqualFunc(asked, again, slices.Equal) {
			t.Errorf("ridges that were asked for: %v", asked)
		}
	}
}

// trueShares is Bayes' rule, or g if no class can have the label.
func TestTrueShares(t *testing.T) {
	got := trueShares([]float32{.25, .75, 0, .1, .9, 0}, []int{0, 2}, flips)
	expect.Same(t, []float32{.4, .6, 0, .1, .9, 0}, got, cmpopts.EquateApprox(0, 1e-6), "shares")
}

// The evidence averages over the neighbours present, by T with 5 % of random labels.
func TestNeighbourVotes(t *testing.T) {
	got, err := neighbourVotes([]int32{1, -1, 0, 1}, []int{0, 1}, flips)
	for k, p := range [][2]float64{{.475, .475}, {.7125, .7125}, {0, 0}, {.475, .475}, {.2375, .7125}, {0, 0}} {
		want := (math.Log(p[0]+.05/3) + math.Log(p[1]+.05/3)) / 2
		if err != nil || math.Abs(float64(got[k])-want) > 1e-6 {
			t.Errorf("%v: evidence %d is %v, want %v", err, k, got[k], want)
		}
	}
}

// FitGiven recovers posteriors of the given labels at any temperature, and their cross-entropy.
func TestFitGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 104))
	m := correctiontest.RandomMatrix(t, rng, 3)
	e := correctiontest.NewExample(t, rng, m, 20000)
	for _, scale := range []float32{.3, 1, 3} {
		z := make([]float32, len(e.Logits))
		for k, v := range e.Logits {
			z[k] = scale*v + 7
		}
		p, loss, err := FitGiven(z, e.Noisy, m.Classes())
		expect.OK(t, err)
		off, want := 0., made{t: m, truth: e.Noisy}.entropy(p)
		for k, v := range p {
			off = max(off, math.Abs(float64(v)-math.Exp(float64(e.Logits[k]))))
		}
		if off > .02 || math.Abs(loss-want) > 1e-4 {
			t.Errorf("scale %v: posteriors are off by %.3f; cross-entropy %.5f, want %.5f", scale, off, loss, want)
		}
	}
	if p, _, err := FitGiven([]float32{1e30, -1e30, -1e30, 1e30}, []int{0, 1}, abc[:2]); err != nil ||
		!slices.Equal(p, []float32{1, 0, 0, 1}) {
		t.Errorf("saturated logits: %v, %v", p, err)
	}
	if p, loss, err := FitGiven(make([]float32, 20), make([]int, 10), abc[:2]); err != nil || p[0] != .5 ||
		math.Abs(loss-math.Ln2) > 1e-9 {
		t.Errorf("uninformative logits: %v, cross-entropy %v, %v", p[:2], loss, err)
	}
}

// Logits, labels and neighbours have to match.
func TestFitRefuses(t *testing.T) {
	four, inf := []float32{1, 2, 3, 4}, float32(math.Inf(1))
	for _, tt := range []struct {
		want   string
		logits []float32
		labels []int
		near   []int32
	}{
		{"3 logits", four[:3], []int{0}, nil},
		{"0 logits", nil, nil, nil},
		{"given label of example 0 is 2", four[:2], []int{2}, nil},
		{"logit of example 0 for class b is +Inf", []float32{1, inf}, []int{0}, nil},
		{"3 neighbours for 2 labels", four, []int{0, 1}, []int32{1, 0, 1}},
		{"neighbour 2 of example 1", four, []int{0, 1}, []int32{1, 2}},
		{"neighbour -2 of example 0", four, []int{0, 1}, []int32{-2, 0}},
	} {
		_, err := Fit(Input{Logits: tt.logits, Labels: tt.labels, T: identity, Near: tt.near})
		expect.Fails(t, err, tt.want)
		_, _, err = FitGiven(tt.logits, tt.labels, abc[:2])
		if tt.near == nil && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("FitGiven: error %v, want one with %q", err, tt.want)
		}
	}
}
