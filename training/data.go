package training

import (
	"iter"

	"github.com/losscorr/losscorr/torch"
)

// Set is examples, their labels Y [M] (Int64), and which rows of both it holds,
// Index [N] (Int64). Train and validation sets, and all runs on the same data,
// share what the examples come from, which they only read: X [M ...], or Stream
// where that is too large for memory.
type Set struct {
	X, Y, Index torch.Tensor
	Stream      *Stream
	// Prepare makes of examples as they are kept what the network takes; nil
	// where they are that already.
	Prepare func(x torch.Tensor) torch.Tensor
}

// Stream is examples of bytes that are read as they are needed.
type Stream struct {
	Shape []int // of one example
	// Read yields the examples of rows, in that order, size at a time. It ends at
	// the first error. Whoever leaves the loop early stops the reading too.
	Read func(rows []int64, size int) iter.Seq2[[]byte, error]
}

// Len is the number of examples.
func (s Set) Len() int { return s.Index.Size(0) }

// Take is the examples of the given rows of X.
func (s Set) Take(rows torch.Tensor) (x, y torch.Tensor) {
	return s.prepare(s.X.IndexSelect(0, rows)), s.Y.IndexSelect(0, rows)
}

func (s Set) prepare(x torch.Tensor) torch.Tensor {
	if s.Prepare == nil {
		return x
	}
	return s.Prepare(x)
}

// Batch is examples [N ...] and their labels [N].
type Batch struct{ X, Y torch.Tensor }

// Batches yields the examples of rows [M] (Int64), size at a time; the last batch
// may be smaller. Each lives as long as one turn of the loop, as all else that is
// made in it does. Only a stream can fail.
func (s Set) Batches(rows torch.Tensor, size int) iter.Seq2[Batch, error] {
	if s.Stream != nil {
		return s.streamed(rows, size)
	}
	return func(yield func(Batch, error) bool) {
		n := rows.Size(0)
		for start, more := 0, true; start < n && more; start += size {
			torch.Scope(func() {
				x, y := s.Take(rows.Narrow(0, start, min(size, n-start)))
				more = yield(Batch{x, y}, nil)
			})
		}
	}
}

func (s Set) streamed(rows torch.Tensor, size int) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		start := 0
		for pixels, err := range s.Stream.Read(torch.Slice[int64](rows), size) {
			if err != nil {
				yield(Batch{}, err)
				return
			}
			more := true
			torch.Scope(func() {
				y := s.Y.IndexSelect(0, rows.Narrow(0, start, min(size, rows.Size(0)-start)))
				x := torch.FromSlice(pixels, append([]int{y.Size(0)}, s.Stream.Shape...)...)
				more = yield(Batch{s.prepare(upload(x, y.Device())), y}, nil)
			})
			if !more {
				return
			}
			start += size
		}
	}
}

// upload copies x to the device. A GPU fetches it from page-locked memory while the
// host, which reads no loss before the epoch ends, goes on to the next batch: that
// is decoded, and queued for the device, before this one's step is over.
func upload(x torch.Tensor, to torch.Device) torch.Tensor {
	if to == torch.CPU {
		return x.ToDevice(to)
	}
	return x.Pin().Upload(torch.Options{DType: x.DType(), Device: to})
}

// Data is what a run learns from. The labels of Train and Validation are noisy,
// those of Test are clean.
type Data struct {
	Train, Validation, Test Set
}
