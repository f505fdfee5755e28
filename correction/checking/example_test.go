package checking_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
)

// The models expect a tenth of the labels to be wrong; in truth it is a fifth.
func ExampleNewCount() {
	rng := rand.New(rand.NewPCG(1, 0))
	wT, wE, w := make([]float64, 10000), make([]float64, 10000), make([]float64, 10000)
	wrong := make([]bool, 10000)
	for x := range w {
		wT[x], wE[x], wrong[x] = .2*rng.Float64(), .2*rng.Float64(), rng.IntN(5) == 0
		w[x] = (wT[x] + wE[x]) / 2
	}
	checks, err := checking.NewDraw(wT, wE, 200, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := make([]checking.Answer, len(checks))
	for k, check := range checks {
		answers[k] = checking.Right
		if wrong[check.Index] { // a person's answer
			answers[k] = checking.Wrong
		}
	}
	count, err := checking.NewCount(w, checks, answers)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d checked: from %.0f to %.0f wrong\n", count.Checked, count.Low, count.High)
	// Output: 200 checked: from 1526 to 2564 wrong
}
