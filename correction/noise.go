package correction

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Identity returns the transition matrix of clean labels, T = I.
func Identity(classes []string) (*Matrix, error) {
	return Symmetric(classes, 0)
}

// Symmetric returns the matrix of symmetric noise of level n in [0, 1):
//
//	T_ii = 1 - n,  T_ij = n / (c-1)  for j ≠ i
//
// A flipped label always differs from the true one. Papers that draw the corrupted label from all c classes, the true
// one included, state the level n' = n c / (c-1).
//
// It is an error if there are fewer than two classes, a name is empty or repeated, or n is out of range.
func Symmetric(classes []string, n float64) (*Matrix, error) {
	if err := checkNoise("symmetric", classes, n); err != nil {
		return nil, err
	}
	c := len(classes)
	rows := make([][]float64, c)
	for i := range rows {
		rows[i] = slices.Repeat([]float64{n / float64(c-1)}, c)
		rows[i][i] = 1 - n
	}
	return newMatrix(classes, rows), nil
}

// Flip sends labels of class From to class To, both by name.
type Flip struct {
	From, To string

	// Fixed, if not 0, replaces the noise level as the probability of this flip at every level above 0.
	Fixed float64
}

// Asymmetric returns the matrix of asymmetric noise of level n in [0, 1): every flip happens with probability n, and
// classes without a flip keep their labels. At n = 0 nothing flips, whatever Fixed is.
//
//	T_ii = 1 - n,  T_ij = n  for each flip i to j
//
// It is an error if the arguments of Symmetric would be, if a flip names an unknown class or its own, if Fixed is not
// in [0, 1), or if a class is flipped twice.
func Asymmetric(classes []string, n float64, flips []Flip) (*Matrix, error) {
	if err := checkNoise("asymmetric", classes, n); err != nil {
		return nil, err
	}
	m, err := Identity(classes)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return m, nil
	}
	flipped := make([]bool, len(classes))
	for _, f := range flips {
		from, to := slices.Index(classes, f.From), slices.Index(classes, f.To)
		where := fmt.Sprintf("correction: asymmetric noise: flip %s to %s", f.From, f.To)
		switch {
		case from < 0:
			return nil, fmt.Errorf("%s: no class %q among %q", where, f.From, classes)
		case to < 0:
			return nil, fmt.Errorf("%s: no class %q among %q", where, f.To, classes)
		case from == to:
			return nil, fmt.Errorf("%s: a class cannot flip to itself", where)
		case flipped[from]:
			return nil, fmt.Errorf("%s: class %s is flipped twice: give a full matrix instead", where, f.From)
		case !(f.Fixed >= 0 && f.Fixed < 1):
			return nil, fmt.Errorf("%s: fixed probability is %v, want 0 or more and less than 1", where, f.Fixed)
		}
		flipped[from] = true
		p := n
		if f.Fixed > 0 {
			p = f.Fixed
		}
		m.t.Set(from, from, 1-p)
		m.t.Set(from, to, p)
	}
	return m, nil
}

func checkNoise(kind string, classes []string, n float64) error {
	if err := CheckClasses(classes); err != nil {
		return fmt.Errorf("correction: %s noise: %w", kind, err)
	}
	if !(n >= 0 && n < 1) {
		return fmt.Errorf("correction: %s noise: level %v, want one in [0, 1)", kind, n)
	}
	return nil
}

// Corrupt draws a noisy label for every example, independently, from row T[label]. It takes one number from rng for
// each example, whatever the matrix, so that two noise levels on the same stream change largely the same examples.
//
// It is an error if a label is not in [0, Dim).
func (m *Matrix) Corrupt(labels []int, rng *rand.Rand) ([]int, error) {
	c := m.Dim()
	if err := CheckLabels("label", labels, c); err != nil {
		return nil, fmt.Errorf("correction: corrupt labels: %w", err)
	}
	cumulative := m.Rows()
	last := make([]int, c) // the highest class that a row can draw
	for i, row := range cumulative {
		last[i] = c - 1
		for row[last[i]] == 0 {
			last[i]--
		}
		floats.CumSum(row, row)
	}
	noisy := make([]int, len(labels))
	for k, y := range labels {
		row := cumulative[y]
		u := rng.Float64() * row[c-1]
		j := 0
		for j < last[y] && u >= row[j] {
			j++
		}
		noisy[k] = j
	}
	return noisy, nil
}

// Realised measures T on labels that were drawn: the share of the examples of clean class i that are labelled j,
//
//	T_ij = |{k: clean_k = i, noisy_k = j}| / |{k: clean_k = i}|
//
// A class without examples keeps its row of m. It is an error if the slices differ in length or a label is not in [0,
// Dim).
func (m *Matrix) Realised(clean, noisy []int) (*Matrix, error) {
	c := m.Dim()
	if len(clean) != len(noisy) {
		return nil, fmt.Errorf("correction: realised noise: %d clean labels and %d noisy ones", len(clean), len(noisy))
	}
	if err := cmp.Or(CheckLabels("clean label", clean, c), CheckLabels("noisy label", noisy, c)); err != nil {
		return nil, fmt.Errorf("correction: realised noise: %w", err)
	}
	rows := shares(clean, noisy, c)
	for i, row := range rows {
		if row == nil {
			rows[i] = slices.Clone(m.t.RawRowView(i))
		}
	}
	return newMatrix(m.classes, rows), nil
}

// CheckLabels returns an error if a label is not in [0, c); what names the labels in the error.
func CheckLabels(what string, labels []int, c int) error {
	for k, y := range labels {
		if y < 0 || y >= c {
			return fmt.Errorf("%s of example %d is %d, want one in [0, %d)", what, k, y, c)
		}
	}
	return nil
}
