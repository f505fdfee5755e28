package correction

import "math"

// Columns is the order of a network's columns of probabilities that fits the given labels best.
type Columns struct {
	Order    []int   // the class that each column fits
	Examples int     // examples whose label belongs to a displaced column
	Assumed  float64 // mean probability of these labels, with column j for class j
	Fitted   float64 // the same, with column j for class Order[j]
	Far      bool    // Fitted is so much greater that wrong labels hardly explain it
}

// farBetter is the least ratio of Fitted to Assumed at which columns are out of order. If 60 % of the labels of a
// class name the next class, the ratio for true posteriors is .6 / .4.
const farBetter = 2.5

// FitColumns finds the order of the columns of probabilities p [N C] that maximises
//
//	sum over examples k of p[k][column of labels[k]]
//
// differs is false if the columns are in order already, or if chance may explain the difference. By Hoeffding's
// inequality and a union over all orders of the d displaced classes, the n examples with such labels show a mean
// difference m with n m² / 2 >= d log C + 7 by chance once in a thousand times.
func FitColumns(p []float32, labels []int, c int) (fit Columns, differs bool) {
	cost := make([][]float64, c)
	for i := range cost {
		cost[i] = make([]float64, c)
	}
	for k, y := range labels {
		for j, v := range p[k*c : (k+1)*c] {
			cost[y][j] -= float64(v)
		}
	}
	column := Assign(cost) // of each class
	fit.Order = make([]int, c)
	count := make([]int, c)
	for _, y := range labels {
		count[y]++
	}
	displaced := 0
	for i, j := range column {
		fit.Order[j] = i
		if i != j {
			displaced++
			fit.Examples += count[i]
			fit.Assumed -= cost[i][i]
			fit.Fitted -= cost[i][j]
		}
	}
	if fit.Examples == 0 {
		return fit, false
	}
	n := float64(fit.Examples)
	fit.Assumed /= n
	fit.Fitted /= n
	fit.Far = fit.Fitted >= farBetter*fit.Assumed
	m := fit.Fitted - fit.Assumed
	return fit, m > 0 && n*m*m/2 >= float64(displaced)*math.Log(float64(c))+7
}
