// Package bench times training steps and those of PyTorch, both in one run and in turn,
// for `make bench` (tools/bench) and for the step times of losscorr doctor.
//
// A workload is a network in training: a Go constructor and an embedded Python file that
// does the same in PyTorch. One round is some steps in Go, then as many in each of
// PyTorch's variants (memory formats, for example). The first round is a warm-up; the
// figure is the median of the others. A step is batch, forward, backward and optimizer on
// 128 examples. On the CPU both sides have one thread; on a GPU the clock is read after
// synchronising with the device. Run also measures some of them compiled.
//
//	report, err := bench.Steps(ctx, bench.Options{Python: "python3", Rounds: .5}, func(s bench.Step) {
//		fmt.Printf("%s: %.3f s, PyTorch %.3f s\n", s.Title, s.Ours, s.PyTorch)
//	})
//
// PyTorch runs in another process (serve.py describes the protocol). It is measured if
// the interpreter has torch and NumPy; if not, that is no error.
package bench
