package judging_test

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/estimators"
	"github.com/losscorr/losscorr/correction/judging"
)

// Half of the cats are labelled dog. The network is nearly sure that the second example is a cat and unsure about the
// third.
func Example() {
	T := correction.Normalized([]string{"cat", "dog"}, [][]float64{{.5, .5}, {0, 1}})
	posteriors := []float32{.99, .01, .99, .01, .5, .5}
	model, err := judging.New(posteriors, []int{0, 1, 1}, T, estimators.Evidence{Nats: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	judgement := model.Judge(.5, nil, nil, false)
	for _, x := range judgement.Order {
		fmt.Printf("example %d: by T %.2f, by example %.2f, wrong with probability %.2f; else %s\n", x,
			model.ClassDependent[x], model.InstanceDependent[x], judgement.Wrong[x], T.Class(judgement.Suggested[x]))
	}
	r := model.Range(nil)
	fmt.Printf("between %.2f and %.2f wrong labels\n", r.Low, r.High)
	// Output:
	// example 1: by T 0.98, by example 1.00, wrong with probability 0.99; else cat
	// example 2: by T 0.33, by example 0.50, wrong with probability 0.42; else cat
	// example 0: by T 0.00, by example 0.00, wrong with probability 0.00; else dog
	// between 1.31 and 1.50 wrong labels
}
