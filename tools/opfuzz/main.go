// Opfuzz calls the operations of package torch with random operands: shapes with
// sizes of 0 and 1, odd and large, every dtype, transposed, sliced and expanded
// memory, freed tensors, arguments out of range.
//
//	go run ./tools/opfuzz -duration 10m
//
// Each call must end in a value or in a *torch.Error of a kind other than Internal,
// and must not leak tensors. Values and gradients must equal those of the same
// operation on contiguous copies or, if the shim has its own loops, those of the plain
// operations that the loops replace.
//
// -case N repeats a case. If the process dies, the file named in the first line holds N.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/losscorr/losscorr/torch"
)

type settings struct {
	duration time.Duration
	seed     uint64
	single   uint64
	only     string
}

func main() {
	var s settings
	flag.DurationVar(&s.duration, "duration", 30*time.Second, "how long")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "seed of all cases")
	flag.Uint64Var(&s.single, "case", 0, "run only this case")
	flag.StringVar(&s.only, "op", "", "run only this operation")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "opfuzz:", err)
		os.Exit(1)
	}
}

// table returns every operation, and those with the shim's own loops several times.
func table() []operation {
	all := append(slices.Clone(plain), making...)
	for range 4 {
		all = append(all, own...)
	}
	// A case's number must have the same meaning in every process.
	slices.SortStableFunc(all, func(a, b operation) int { return strings.Compare(a.name, b.name) })
	return all
}

// run makes cases until the time is up or one is wrong.
func run(s settings) error {
	if err := torch.Open(); err != nil {
		return err
	}
	torch.SetThreads(2)
	operations := table()
	if s.only != "" {
		operations = slices.DeleteFunc(operations, func(o operation) bool { return o.name != s.only })
		if len(operations) == 0 {
			return fmt.Errorf("unknown operation %q", s.only)
		}
	}
	if s.single != 0 {
		outcome, err := one(operations, s.single, true)
		fmt.Printf("case %d: %s\n", s.single, outcome)
		return err
	}
	progress, err := os.CreateTemp("", "opfuzz-case-")
	if err != nil {
		return err
	}
	fmt.Printf("seed %d; %s holds the number of the current case\n", s.seed, progress.Name())
	numbers, outcomes, calls := newSource(s.seed), map[string]int{}, 0
	for started := time.Now(); time.Since(started) < s.duration; calls++ {
		number := numbers.Uint64() | 1
		if _, err := progress.WriteAt(fmt.Appendf(nil, "%20d\n", number), 0); err != nil {
			return err
		}
		outcome, err := one(operations, number, false)
		if err != nil {
			return fmt.Errorf("case %d: %w", number, err)
		}
		outcomes[outcome]++
	}
	fmt.Printf("%d calls: %v\n", calls, outcomes)
	if n := torch.Live(); n != 0 {
		return fmt.Errorf("%d tensors leaked", n)
	}
	return os.Remove(progress.Name())
}
