package correction

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// First come the examples that name ambiguous rows, three for each and each of its own
// class, then the ones in doubt; those that are known are left out. The labels of the
// first name the rows.
func TestAskNamesRowsFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	m := highNoise(t, .6)
	e := newExample(t, rng, m, 10000)
	found := e.estimate(t, EstimatorOptions{Name: "vertices"})
	if !slices.Equal(found.Unnamed, []int{2, 5, 6, 7}) {
		t.Fatalf("unnamed classes %v", found.Unnamed)
	}
	a := e.audit(t, found.T)
	rows := len(found.Unnamed)
	asked := found.Ask(a, nil, 3*rows+100)
	if len(asked) != 3*rows+100 {
		t.Fatalf("%d asked", len(asked))
	}
	var trusted []Trusted
	for _, x := range asked[:3*rows] {
		trusted = append(trusted, Trusted{x, e.labels[x]})
	}
	named := e.estimate(t, EstimatorOptions{Name: "vertices", Trusted: trusted})
	if !RowsPermuted(found.T, m) || RowsPermuted(named.T, m) || len(named.Unnamed) > 0 {
		t.Error("the labels asked for do not name the rows")
	}
	if x := asked[3*rows]; a.doubt[x] < slices.Max(a.doubt) {
		t.Errorf("example %d (%v) is not the most doubtful", x, a.doubt[x])
	}
	for k, x := range asked[3*rows+1:] {
		if before := asked[3*rows+k]; a.doubt[x] > a.doubt[before] {
			t.Fatalf("example %d (%v) comes after %d (%v)", x, a.doubt[x], before, a.doubt[before])
		}
	}
	again := found.Ask(a, trusted, 1000)
	if slices.Contains(again, asked[0]) || !slices.Contains(again, asked[3*rows]) {
		t.Error("known examples are asked for again, or others are not")
	}
	sorted := slices.Sorted(slices.Values(again))
	if len(slices.Compact(sorted)) != 1000 {
		t.Error("an example is asked for twice")
	}
	if all := found.Ask(a, nil, 20000); len(all) != 10000 {
		t.Errorf("%d of 10000 examples", len(all))
	}
}

// Other names cost trace: for two rows that share labels at .4 and .6 little, for a chain
// of flips more up to .6, for symmetric noise most. Equal rows cost nothing. A trusted label settles its pair.
func TestUnnamed(t *testing.T) {
	symmetric, err := Symmetric(digits, .6)
	if err != nil {
		t.Fatal(err)
	}
	equal, err := NewMatrix([]string{"a", "b", "c", "d"}, [][]float64{{.9, .1, 0, 0}, {.9, .1, 0, 0}, {0, 0, 1, 0}, {.2, 0, 0, .8}})
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := NewMatrix([]string{"a", "b"}, [][]float64{{.2, .8}, {.7, .3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		m       *Matrix
		trusted []Trusted
		want    []int
	}{
		{symmetric, nil, nil},
		{highNoise(t, .3), nil, nil},
		{highNoise(t, .4), nil, []int{5, 6}},
		{highNoise(t, .4), []Trusted{{0, 5}}, nil},
		{highNoise(t, .4), []Trusted{{0, 4}}, []int{5, 6}},
		{highNoise(t, .7), nil, []int{1, 2, 3, 5, 6, 7}},
		{equal, nil, []int{0, 1}},
		{swapped, nil, []int{0, 1}},
	} {
		names := naming{prior: tt.m.Rows(), evidence: zeros(tt.m.Dim())}
		for v, row := range names.prior {
			floats.Scale(traceOdds, row)
			for _, k := range tt.trusted { // a typical example of its class
				if v != k.Label {
					names.evidence[v][k.Label] += math.Log(wrong / 10)
				}
			}
		}
		if got := names.unsure(); !slices.Equal(got, tt.want) {
			t.Errorf("%v, trusted %v: unnamed %v, want %v", tt.m.Rows(), tt.trusted, got, tt.want)
		}
	}
}

func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	m := highNoise(t, .2)
	if got := newExample(t, rng, m, 10000).estimate(t, EstimatorOptions{Name: "vertices"}).Small(); len(got) > 0 {
		t.Errorf("classes of 1000 examples are small: %v", got)
	}
	if got := newUnequal(t, rng, m, 3000).estimate(t, EstimatorOptions{Name: "vertices"}).Small(); !slices.Equal(got, []int{1, 3, 5, 7, 9}) {
		t.Errorf("small classes %v, want those of 60 examples", got)
	}
}

func TestWeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, tt := range []struct {
		n     int
		right float64 // share of examples whose given label is predicted, beyond chance
		want  bool
	}{{10000, 0, true}, {10000, .04, true}, {10000, .1, false}, {100, .1, true}, {100, .8, false}} {
		posteriors, labels := make([]float32, 2*tt.n), make([]int, tt.n)
		for x := range labels {
			labels[x] = rng.IntN(2)
			guess := rng.IntN(2)
			if rng.Float64() < tt.right {
				guess = labels[x]
			}
			posteriors[2*x+guess] = 1
		}
		identity, err := Identity([]string{"cat", "dog"})
		if err != nil {
			t.Fatal(err)
		}
		e := &Estimation{T: identity}
		warning, weak := e.Weak(posteriors, labels)
		if weak != tt.want || weak != strings.Contains(warning, "too weak to find wrong labels. Try") {
			t.Errorf("%d examples, %v beyond chance: weak is %v, %q", tt.n, tt.right, weak, warning)
		}
		e.Unnamed = []int{1}
		if warning, weak := e.Weak(posteriors, labels); !weak || !strings.Contains(warning, "Try a larger network") {
			t.Errorf("%v beyond chance, a row of two without a name: %q", tt.right, warning)
		}
	}
}

// Where 30 % of the labels are wrong, networks that know nearly every example are not weak; networks that hardly see what a class is like are, also where all labels are
// right.
func TestWeakTellsNoiseFromIgnorance(t *testing.T) {
	d := readRecorded(t, "asymmetric_6", 12000, 10)
	var trusted []Trusted
	for x := range 300 {
		trusted = append(trusted, Trusted{x, d.labels[x]})
	}
	found, err := Estimate(digits, d.first, d.given, EstimatorOptions{Name: "vertices", Prior: 1, Trusted: trusted})
	if err != nil {
		t.Fatal(err)
	}
	if right := mat.Trace(found.T.t) / 10; right > mostlyRight+.01 {
		t.Fatalf("%.2f of the labels are right: this is no test", right)
	}
	if warning, weak := found.Weak(d.first, d.given); weak {
		t.Errorf("networks that know %.2f of the examples: %s", found.known(d.first), warning)
	}
	rng := rand.New(rand.NewPCG(95, 96))
	const n = 2000
	logits, labels := make([]float32, n*10), make([]int, n)
	for x := range labels {
		labels[x] = rng.IntN(10)
		for k := range 10 {
			logits[x*10+k] = 1.5 * rng.Float32()
		}
		logits[x*10+labels[x]] += .5
	}
	if found, err = Estimate(digits, logits, labels, EstimatorOptions{Name: "vertices", Prior: 1}); err != nil {
		t.Fatal(err)
	}
	if _, weak := found.Weak(logits, labels); !weak {
		t.Errorf("networks that know %.2f of the examples say that %.2f of the labels are right", found.known(logits), mat.Trace(found.T.t)/10)
	}
}
