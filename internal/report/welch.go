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
// The result is never NaN. If neither sample varies, the limit is returned:
// t = 0 and p = 1 for equal means, t = ±Inf and p = 0 otherwise, with
// df = na + nb - 2. If either has fewer than two values, nothing can be said:
// t = 0, df = 0, p = 1.
func welch(a, b Sample) (t, df, p float64) {
	if a.N < 2 || b.N < 2 {
		return 0, 0, 1
	}
	na, nb := float64(a.N), float64(b.N)
	va, vb := a.Std*a.Std/na, b.Std*b.Std/nb
	d := a.Mean - b.Mean
	// The mean of equal values is off by its rounding, which depends on their number.
	if rounding := 1e-12 * max(math.Abs(a.Mean), math.Abs(b.Mean)); math.Sqrt(va+vb) <= rounding {
		if math.Abs(d) <= rounding {
			return 0, na + nb - 2, 1
		}
		return math.Copysign(math.Inf(1), d), na + nb - 2, 0
	}
	t = d / math.Sqrt(va+vb)
	df = (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	// The lower tail keeps its digits where 1 - CDF(|t|) would lose them.
	return t, df, 2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

// String returns 97.3 ± 0.1, and the mean alone for a single value.
func (s Sample) String() string { return s.format("%.1f") }

// format is the sample with each number in the format, - if it is empty.
func (s Sample) format(format string) string {
	mean, std := s.text(format)
	if std != "" {
		return mean + " ± " + std
	}
	return cmp.Or(mean, absent)
}

// text is the mean and the standard deviation in a format, each empty where there is none.
func (s Sample) text(format string) (mean, std string) {
	if s.N > 0 {
		mean = fmt.Sprintf(format, s.Mean)
	}
	if s.N > 1 {
		std = fmt.Sprintf(format, s.Std)
	}
	return mean, std
}
