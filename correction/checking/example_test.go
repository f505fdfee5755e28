package checking_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction/checking"
)

// The model says that every tenth label is wrong; in truth every fifth is.
func ExampleDraw_Count() {
	rng := rand.New(rand.NewPCG(1, 0))
	w, wrong := make([]float64, 10000), make([]bool, 10000)
	for x := range w {
		w[x], wrong[x] = .2*rng.Float64(), rng.IntN(5) == 0
	}
	draw, err := checking.NewDraw(w, 200, 0, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := make([]checking.Answer, 200)
	for k, check := range draw.Checks {
		answers[k] = checking.Right
		if wrong[check.Index] { // a person says
			answers[k] = checking.Wrong
		}
	}
	count, err := draw.Count(w, answers)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d checked: from %.0f to %.0f wrong\n", count.Checked, count.Low, count.High)
	// Output: 200 checked: from 1124 to 2110 wrong
}
