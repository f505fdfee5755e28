package bench

import (
	"fmt"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// perOperation prints the time that Go adds to the cheapest operation, a sum of 4 by 4,
// including creating and freeing its handle. On a GPU it is the cost of queueing.
func (b *bench) perOperation() error {
	const n, rounds = 1000, 150
	var goTime, cpp []float64
	torch.Scope(func() {
		a := torch.Ones(torch.Options{Device: b.Device}, 4, 4)
		for range b.times(rounds) {
			begun := time.Now()
			torch.Scope(func() {
				for range n {
					a.Add(a)
				}
			})
			goTime = append(goTime, float64(time.Since(begun).Nanoseconds())/n)
			cpp = append(cpp, torch.CppAdd(a, a, n))
		}
	})
	fmt.Fprintf(b.out, "sum of 4 by 4: from Go %.0f ns, in C++ %.0f ns, Go adds %.0f ns\n", median(goTime), median(cpp),
		median(goTime)-median(cpp))
	return nil
}
