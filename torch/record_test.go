package torch_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// onGPU runs a GPU-only test in a separate stream.
func onGPU(t *testing.T, f func()) {
	t.Helper()
	onDevice(t)
	torchtest.NoLeak(t, func() { torch.OnStream(device, f) })
}

// A replay repeats the work on the current contents of its memory, draws included, and recording by itself changes
// nothing. Expected: the same steps without a recording.
func TestRecord(t *testing.T) {
	onGPU(t, func() {
		o := torch.Options{Device: device}
		run := func(recorded bool) (values []float64, state []byte) {
			torch.Scope(func() {
				g := torch.NewGenerator(5, device)
				index := torch.Zeros(torch.Options{DType: torch.Int64, Device: device}, 3)
				data := torch.Arange(0, 40, 1, o).View(10, 4)
				w, sum := g.Uniform(-1, 1, o, 4, 2).SetRequiresGrad(true), torch.Zeros(o)
				momenta := []torch.Tensor{torch.Zeros(o, 4, 2)}
				step := func() {
					torch.Scope(func() {
						x := data.IndexSelect(0, index).Dropout(.4, g)
						loss := x.Mm(w).Square().Mean()
						torch.ZeroGrad([]torch.Tensor{w})
						loss.Backward()
						torch.SGD{LearningRate: 1e-4, Momentum: .9}.Step([]torch.Tensor{w}, momenta)
						sum.AddInPlace(loss.Detach(), 1)
					})
				}
				at := func(n int) { index.CopyFrom(torch.FromSlice([]int64{int64(n), int64(3*n+1) % 10, 9}).ToDevice(device)) }
				for n := range 3 {
					at(n)
					step()
				}
				again := step
				if recorded {
					before := torch.Slice[float64](w.Detach())
					r := expect.Got(torch.Record([]*torch.Generator{g}, step))(t)
					defer r.Free()
					torchtest.Close(t, "after the recording", w.Detach(), before, 0)
					again = r.Replay
				}
				for n := range 20 {
					at(n % 10)
					again()
					if n == 12 {
						step() // an unrecorded step between replays
					}
				}
				values, state = append(torch.Slice[float64](w.Detach()), sum.Item()), g.State()
			})
			return values, state
		}
		want, wantState := run(false)
		got, gotState := run(true)
		torchtest.Near(t, "weights and losses", got, want, 0)
		expect.Same(t, wantState, gotState, "state of the stream")
	})
}

// Work that cannot be recorded is an error with the reason, and everything works afterwards.
func TestRecordRefuses(t *testing.T) {
	onGPU(t, func() {
		o := torch.Options{Device: device}
		g, other := torch.NewGenerator(1, device), torch.NewGenerator(2, device)
		x := torch.Ones(o, 4)
		for _, c := range []struct {
			name, says string
			f          func()
		}{
			{"a value that the host reads", "captur", func() { x.Sum().Item() }},
			{"a tensor that the host reads", "captur", func() { torch.Slice[float64](x) }},
			{"a tensor of the host", "captur", func() { torch.FromSlice([]float64{1, 2}).ToDevice(device) }},
			{"a host that waits", "captur", func() { torch.Synchronize(device) }},
			{"a stream that is not recorded", "", func() { x.Dropout(.5, other) }},
			{"an error of an operation", "", func() { x.Mm(torch.Ones(o, 5, 1)) }},
		} {
			before := g.State()
			r, err := torch.Record([]*torch.Generator{g}, func() {
				torch.Scope(func() {
					x.AddInPlace(x.Dropout(.5, g), 1)
					c.f()
				})
			})
			if expect.Says(t, err, c.says); err == nil {
				r.Free()
			}
			torchtest.Close(t, c.name, x, []float64{1, 1, 1, 1}, 0)
			expect.Same(t, before, g.State(), c.name+": state of the stream")
			if first := torch.Lost(); first != nil {
				t.Fatalf("%s has cost the GPU: %v", c.name, first)
			}
			x.Dropout(.5, g) // the stream draws again
		}
		defer func() {
			if recover() == nil {
				t.Error("a panic of Go's did not continue")
			}
			torchtest.Close(t, "after a panic", x.Sum(), []float64{4}, 0)
		}()
		_, _ = torch.Record(nil, func() { panic("no tensor error") })
	})
}

// Nothing is recorded in the default stream.
func TestRecordNeedsAStream(t *testing.T) {
	onDevice(t)
	defer torchtest.Scoped(t)()
	_, err := torch.Record(nil, func() { torch.Ones(torch.Options{Device: device}) })
	expect.Says(t, err, "non-default stream")
}

// A recording owns its memory until it is freed, and replays do not grow it.
func TestRecordedMemory(t *testing.T) {
	onGPU(t, func() {
		o := torch.Options{Device: device}
		x := torch.Ones(o, 1000)
		begin := torch.DeviceMemory(device).Allocated
		for range 3 {
			r := expect.Got(torch.Record(nil, func() { torch.Scope(func() { x.CopyFrom(x.MulScalar(3).Exp().Log().DivScalar(3)) }) }))(t)
			level := torch.DeviceMemory(device).Allocated
			for range 100 {
				r.Replay()
				torch.Scope(func() { torch.Full(7, o, 1000) }) // must not reuse the recording's memory
			}
			expect.Same(t, level, torch.DeviceMemory(device).Allocated, "bytes after 100 replays")
			torch.Scope(func() { torchtest.Close(t, "x", x.Sum(), []float64{1000}, 1e-4) })
			r.Free()
			torchtest.Raises(t, torch.StaleHandle, r.Replay)
			torchtest.Raises(t, torch.StaleHandle, r.Free)
		}
		expect.Same(t, begin, torch.DeviceMemory(device).Allocated, "bytes after three recordings")
	})
}

// A failed recording behaves like a freed one.
func TestRecordingThatWasNotMade(t *testing.T) {
	torchtest.Open(t)
	var r torch.Recording
	torchtest.Raises(t, torch.StaleHandle, r.Replay)
	torchtest.Raises(t, torch.StaleHandle, r.Free)
}

// Threads record and replay side by side, each in its own stream.
func TestRecordOnManyThreads(t *testing.T) {
	onGPU(t, func() {
		shared := torch.Arange(0, 100, 1, torch.Options{Device: device})
		torch.Synchronize(device)
		sums := make([]float64, 4)
		var all sync.WaitGroup
		for k := range sums {
			all.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				torch.OnStream(device, func() {
					torch.Scope(func() {
						sum := torch.Zeros(torch.Options{Device: device})
						step := func() { torch.Scope(func() { sum.AddInPlace(shared.MulScalar(float64(k+1)).Sum(), 1) }) }
						step()
						r, err := torch.Record(nil, step)
						if err != nil {
							t.Error(err)
							return
						}
						defer r.Free()
						for range 49 {
							r.Replay()
						}
						sums[k] = sum.Item()
					})
				})
			})
		}
		all.Wait()
		expect.Same(t, []float64{50 * 4950, 100 * 4950, 150 * 4950, 200 * 4950}, sums, "sums")
	})
}

// The stand-in detects work that does not wait for another stream.
func TestOrderOfStreams(t *testing.T) {
	onStandIn(t)
	defer torchtest.Scoped(t)()
	made := make(chan torch.Tensor)
	read := make(chan error)
	ready := make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		torch.OnStream(device, func() {
			close(ready) // nobody waits for work from here on
			torch.Scope(func() {
				for range 2 {
					x := <-made
					read <- torch.Try(func() error { x.Sum(); return nil })
				}
			})
		})
		close(read)
	}()
	<-ready
	x := torch.Ones(torch.Options{Device: device}, 3)
	made <- x
	expect.Says(t, <-read, "has not waited for it")
	torch.Synchronize(device)
	made <- x
	expect.OK(t, <-read)
	expect.OK(t, <-read) // closed
	torch.Synchronize(device)
}
