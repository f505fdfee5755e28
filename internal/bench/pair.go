package bench

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// twoAtATime prints the throughput of two runs at a time relative to one: two threads
// of this process, and two PyTorch processes.
func (b *bench) twoAtATime() error {
	const steps, rounds = 100, 15
	var nets [2]*network
	var peers [2]stepper
	for i := range nets {
		var err error
		if nets[i], err = b.mnist(torch.Float32); err != nil {
			return err
		}
		if b.Python == "" {
			continue
		}
		if peers[i], err = b.load(mnistScript); err != nil {
			return err
		}
	}
	// As in the runner: with spare Ps, Go's monitor does not keep taking them away
	// from threads inside libtorch.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2+2))
	var ours, theirs []float64
	for range b.times(rounds) {
		alone := nets[0].run(steps).Seconds()
		ours = append(ours, 2*alone/together(
			func() error { nets[0].run(steps); return nil },
			func() error { nets[1].run(steps); return nil }))
		if b.Python == "" {
			continue
		}
		alone, err := peers[0](steps)
		if err != nil {
			return err
		}
		theirs = append(theirs, 2*alone/together(
			func() error { _, err := peers[0](steps); return err },
			func() error { _, err := peers[1](steps); return err }))
	}
	fmt.Fprintf(b.out, "two MNIST runs at a time, throughput over one: losscorr %.2f (one process)", median(ours))
	if len(theirs) > 0 {
		fmt.Fprintf(b.out, ", PyTorch %.2f (two processes)", median(theirs))
	}
	fmt.Fprintln(b.out)
	return nil
}

// together runs jobs at the same time and returns the time until all are done.
func together(jobs ...func() error) float64 {
	begun := time.Now()
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Go(func() {
			if err := job(); err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
			}
		})
	}
	wg.Wait()
	return time.Since(begun).Seconds()
}
