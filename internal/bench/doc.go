// Package bench times training steps in Go and in PyTorch, alternately in one run, for
// `make bench` (tools/bench) and for the step times of losscorr doctor.
//
// A workload is a network in training: a Go constructor and an embedded Python file that
// does the same in PyTorch. One round is some steps in Go, then as many in each of
// PyTorch's variants (memory formats, for example). The first round is a warm-up; the
// result is the median of the others. A step is batch, forward, backward and optimizer on
// 128 examples. On the CPU both sides have one thread; on a GPU the clock is read after
// synchronising with the device. Some workloads also have compiled variants.
//
//	report, err := bench.Steps(ctx, bench.Options{Python: "python3", Rounds: .5}, func(s bench.Step) {
//		fmt.Printf("%s: %.3f s, PyTorch %.3f s\n", s.Title, s.Ours, s.PyTorch)
//	})
//
// PyTorch runs in another process (serve.py describes the protocol). If the interpreter
// lacks torch or NumPy, only Go is measured.
package bench
