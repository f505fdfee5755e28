package correction_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/losscorr/losscorr/correction"
)

// A third of the cats is labelled dog, and the matrix that the labels show is
// near the one that they were drawn from.
func ExampleMatrix_Corrupt() {
	T, err := correction.Asymmetric([]string{"cat", "dog", "horse"}, 0.3, []correction.Flip{
		{From: "cat", To: "dog"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := make([]int, 30000)
	for k := range labels {
		labels[k] = k % 3
	}
	noisy, err := T.Corrupt(labels, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	realised, err := T.Realised(labels, noisy)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range realised.Rows() {
		fmt.Printf("%.2f\n", row)
	}
	// Output:
	// [0.70 0.30 0.00]
	// [0.00 1.00 0.00]
	// [0.00 0.00 1.00]
}

func ExampleMatrix_String() {
	t, err := correction.Symmetric([]string{"cat", "dog"}, .2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("T\n%v", t)
	// Output:
	// T
	//          cat    dog
	//   cat  0.800  0.200
	//   dog  0.200  0.800
}
