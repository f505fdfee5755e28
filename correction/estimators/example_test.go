package estimators_test

import (
	"fmt"
	"math"

	"github.com/losscorr/losscorr/correction/estimators"
)

// With a perfect example of each class and the exact noisy posterior, T-hat equals T.
func ExampleEstimate() {
	log := func(p float64) float32 { return float32(math.Log(p)) }
	logits := []float32{
		log(.8), log(.2), // a perfect cat
		log(.5), log(.5), // something between
		log(.1), log(.9), // a perfect dog
	}
	e, err := estimators.Estimate([]string{"cat", "dog"}, logits, nil, estimators.Options{Name: "argmax"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range e.T.Rows() {
		fmt.Printf("%.2f\n", row)
	}
	fmt.Println("anchors", e.Anchors)
	// Output:
	// [0.80 0.20]
	// [0.10 0.90]
	// anchors [0 2]
}
