package judging_test

import (
	"fmt"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/judging"
)

// Half of the cats is labelled dog. A network that is nearly sure of a cat finds the
// second label wrong, and the third label, of what may be a dog, is right more likely
// than not.
func ExampleAudit() {
	T, err := correction.NewMatrix([]string{"cat", "dog"}, [][]float64{
		{0.5, 0.5},
		{0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	posteriors := []float32{
		.99, .01,
		.99, .01,
		.50, .50,
	}
	audited, err := judging.Audit(posteriors, []int{0, 1, 1}, T)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range audited.Order() {
		fmt.Printf("example %d: wrong with probability %.2f, likeliest %s\n",
			x, audited.Wrong[x], T.Classes()[audited.Suggested[x]])
	}
	fmt.Printf("%.2f wrong labels expected\n", audited.ExpectedWrong)
	// Output:
	// example 1: wrong with probability 0.98, likeliest cat
	// example 2: wrong with probability 0.33, likeliest dog
	// example 0: wrong with probability 0.00, likeliest cat
	// 1.31 wrong labels expected
}
