package annotators_test

import (
	"math/rand/v2"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
)

// 150,000 answers of 747 people to 50,000 examples of ten classes, with a network: the consensus,
// what the people are worth, and who copies.
func BenchmarkEstimate(b *testing.B) {
	c := newCrowd(b, rand.New(rand.NewPCG(1, 1)), drawn{tasks: 50_000, workers: 747, classes: 10, each: 3, hard: .05, clear: 2})
	b.ReportAllocs()
	for b.Loop() {
		found := estimate(b, c, annotators.Options{Posteriors: c.g})
		annotators.People(c.Answers, found, nil)
		annotators.Copies(c.Answers, found)
	}
}
