// Package bench times training steps beside PyTorch's, both in one run, turn
// by turn: `make bench` (cmd/bench) and the step times of losscorr selftest.
//
// A workload is a network in training: a constructor here and a Python file that does
// the same in PyTorch, which travels in the program. One round is some steps here, then
// as many in each of PyTorch's variants (memory formats, say); the first round warms up,
// and the figure is the median of the others. A step is batch, forward, backward and
// optimizer on 128 examples. On the CPU both sides have one thread; on a GPU the clock
// is read when the device has done all that was asked of it.
//
//	report, err := bench.Steps(ctx, bench.Options{Python: "python3", Rounds: .5}, func(s bench.Step) {
//		fmt.Printf("%s: %.3f s, PyTorch %.3f s\n", s.Title, s.Ours, s.PyTorch)
//	})
//
// PyTorch's side is another process (serve.py says how it is talked to). It is measured
// where the interpreter has torch and NumPy; that it has not is no error.
package bench
