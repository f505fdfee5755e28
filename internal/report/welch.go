package report

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Sample summarises repeated measurements.
type Sample struct {
	N    int
	Mean float64
	Std  float64 // sample standard deviation (ddof 1), 0 for N < 2
}

// NewSample returns the summary of values.
func NewSample(values []float64) Sample {
	switch len(values) {
	case 0:
		return Sample{}
	case 1:
		return Sample{N: 1, Mean: values[0]}
	}
	mean, std := stat.MeanStdDev(values, nil)
	return Sample{N: len(values), Mean: mean, Std: std}
}

// welch compares the means of two samples of possibly unequal variance by
// Welch's t-test, two-sided (Welch 1947):
//
//	t  = (mean a - mean b) / sqrt(va + vb),  v = s^2 / n
//	df = (va + vb)^2 / (va^2/(na-1) + vb^2/(nb-1))
//	p  = 2 P(T_df < -|t|)
//
// The result is never NaN. If neither sample varies, it is the limit: t = 0 and
// p = 1 for equal means, t = ±Inf and p = 0 otherwise, with df = na + nb - 2. If
// either has fewer than two values, t = 0, df = 0 and p = 1.
func welch(a, b Sample) (t, df, p float64) {
	if a.N < 2 || b.N < 2 {
		return 0, 0, 1
	}
	na, nb := float64(a.N), float64(b.N)
	va, vb := a.Std*a.Std/na, b.Std*b.Std/nb
	d := a.Mean - b.Mean
	// Means of equal values may differ by rounding.
	if rounding := 1e-12 * max(math.Abs(a.Mean), math.Abs(b.Mean)); math.Sqrt(va+vb) <= rounding {
		if math.Abs(d) <= rounding {
			return 0, na + nb - 2, 1
		}
		return math.Copysign(math.Inf(1), d), na + nb - 2, 0
	}
	t = d / math.Sqrt(va+vb)
	df = (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	// The lower tail keeps digits that 1 - CDF(|t|) would lose.
	return t, df, 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

// String returns mean and deviation, such as 97.3 ± 0.1, or only the mean for a single value.
func (s Sample) String() string { return s.format("%.1f") }

// format returns the sample with each number in the format, or - if it is empty.
func (s Sample) format(format string) string {
	mean, std := s.text(format)
	if std != "" {
		return mean + " ± " + std
	}
	return cmp.Or(mean, absent)
}

// text returns the mean and the standard deviation in a format, or "" for a missing one.
func (s Sample) text(format string) (mean, std string) {
	if s.N > 0 {
		mean = fmt.Sprintf(format, s.Mean)
	}
	if s.N > 1 {
		std = fmt.Sprintf(format, s.Std)
	}
	return mean, std
}
