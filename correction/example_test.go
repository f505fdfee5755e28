package correction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/torch"
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

// With a perfect example of each class and the exact noisy posterior, the
// posterior at the examples is T.
func ExampleEstimate() {
	log := func(p float64) float32 { return float32(math.Log(p)) }
	logits := []float32{
		log(.8), log(.2), // a perfect cat
		log(.5), log(.5), // something between
		log(.1), log(.9), // a perfect dog
	}
	e, err := correction.Estimate([]string{"cat", "dog"}, logits, nil, correction.EstimatorOptions{Name: "argmax"})
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

func ExampleNewMatrix_transposed() {
	_, err := correction.NewMatrix([]string{"cat", "dog"}, [][]float64{
		{0.7, 0},
		{0.3, 1},
	})
	fmt.Println(err)
	// Output:
	// correction: transition matrix: columns sum to 1 and rows do not: the matrix is transposed; rows must be true classes and columns given labels (cleanlab's noise_matrix is the transpose)
}

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
	audited, err := correction.Audit(posteriors, []int{0, 1, 1}, T)
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

// A loss of plain operations: autograd differentiates it. Configurations know it by its name.
func ExampleRegisterLoss() {
	before := slices.Clone(correction.Losses)
	defer func() { correction.Losses = before }() // for the other tests
	entry := correction.LossEntry{
		Name: "focal", About: "cross-entropy with less weight on likely labels",
		New: func(*correction.Matrix, correction.LossOptions) (correction.Loss, error) { return focal{}, nil },
	}
	fmt.Println(correction.RegisterLoss(entry))
	fmt.Println(correction.Losses.Named("focal").About)
	fmt.Println(correction.RegisterLoss(entry))
	// Output:
	// <nil>
	// cross-entropy with less weight on likely labels
	// correction: register the loss "focal": there is one of this name: give it another
}

// focal is -(1-p)^2 log p for the probability p of the given label (Lin et al., 2017).
type focal struct{}

func (focal) Name() string { return "focal" }

func (focal) Apply(logits, labels torch.Tensor) torch.Tensor {
	l := logits.LogSoftmax(1).Gather(1, labels.Unsqueeze(1))
	return l.Exp().Neg().AddScalar(1).Square().Mul(l).Mean().Neg()
}
