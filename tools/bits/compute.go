package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/losscorr/losscorr/torch"
)

// operation computes something of operands of these shapes.
type operation struct {
	name   string
	dtype  torch.DType
	shapes [][]int
	run    func(x []torch.Tensor) torch.Tensor
}

var operations = []operation{
	{"exp", torch.Float32, [][]int{{5000}}, func(x []torch.Tensor) torch.Tensor { return x[0].Exp() }},
	{"tanh", torch.Float32, [][]int{{5000}}, func(x []torch.Tensor) torch.Tensor { return x[0].Tanh() }},
	{"sigmoid", torch.Float32, [][]int{{5000}}, func(x []torch.Tensor) torch.Tensor { return x[0].Sigmoid() }},
	{"log_softmax", torch.Float32, [][]int{{128, 10}}, func(x []torch.Tensor) torch.Tensor { return x[0].LogSoftmax(1) }},
	{"product, float32", torch.Float32, [][]int{{96, 160}, {160, 130}}, product},
	{"product, bfloat16", torch.BFloat16, [][]int{{96, 160}, {160, 130}}, product},
	{"product, float16", torch.Float16, [][]int{{96, 160}, {160, 130}}, product},
	{"convolution", torch.Float32, [][]int{{8, 16, 12, 12}, {16, 16, 3, 3}, {16}}, func(x []torch.Tensor) torch.Tensor {
		return x[0].Conv2d(x[1], x[2], torch.Window{Padding: 1})
	}},
}

func product(x []torch.Tensor) torch.Tensor { return x[0].Matmul(x[1]) }

// operands are the same numbers each time, so many bytes behind an address of the allocator's.
// Nothing that libraries decide at a first call is called for them.
func (o operation) operands(bytes int) []torch.Tensor {
	size := 4
	if o.dtype != torch.Float32 {
		size = 2
	}
	draw := rand.New(rand.NewPCG(1, 2))
	var all []torch.Tensor
	for _, shape := range o.shapes {
		n := 1
		for _, s := range shape {
			n *= s
		}
		numbers := make([]float32, bytes/size+n)
		for i := range n {
			numbers[bytes/size+i] = float32(draw.NormFloat64())
		}
		all = append(all, torch.FromSlice(numbers).ToDType(o.dtype).Narrow(0, bytes/size, n).View(shape...))
	}
	return all
}

// meeting holds threads back until all of them have come.
type meeting struct {
	of   int64
	come atomic.Int64
}

// wait returns when all threads have come. A thread waits awake, so that all begin at the same moment, but
// leaves the processor to one that does not come soon: on a busy machine that one waits for it.
func (m *meeting) wait() {
	const soon = 100_000
	for round, looks := (m.come.Add(1)+m.of-1)/m.of, 0; m.come.Load() < round*m.of; looks++ {
		if looks > soon {
			time.Sleep(time.Microsecond)
		}
	}
}

// compute prints the hashes of all outputs of two threads.
func compute(_ context.Context, _ []string, out io.Writer) error {
	if err := torch.Open(); err != nil {
		return err
	}
	const threads, bytes = 2, 64
	torch.SetThreads(1)
	var hashes [threads][]hash
	var errs [threads]error
	all, meet := sync.WaitGroup{}, meeting{of: threads}
	for i := range threads {
		all.Go(func() {
			runtime.LockOSThread()
			errs[i] = torch.Try(func() error {
				for _, o := range operations {
					for shift := 0; shift < bytes; shift += 4 {
						torch.Scope(func() {
							x := o.operands(shift)
							meet.wait()
							y := o.run(x)
							hashes[i] = append(hashes[i], hash{o.name, shift, sum(torch.Slice[float32](y.ToDType(torch.Float32)))})
						})
					}
				}
				return nil
			})
		})
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(append(hashes[0], hashes[1]...))
}
