package train

import (
	"iter"

	"github.com/losscorr/losscorr/torch"
)

// Set is a set of N labelled examples. Index [N] (Int64) selects them from M rows of examples and labels: X [M ...]
// (see Compressed), or Stream if they are too large for memory, and Y [M] (Int64). Training and validation sets, and
// all runs on the same data, share X, Y and Stream and only read them.
type Set struct {
	X, Y, Index torch.Tensor
	Stream      *Stream
	// Prepare turns stored examples into the network's input; nil if they already are.
	Prepare func(x torch.Tensor) torch.Tensor
}

// Stream is a source of examples, as bytes that are read on demand.
type Stream struct {
	Shape []int // of one example
	// Read yields the examples of rows, in that order, size at a time, and ends at the first error. Leaving the loop early
	// stops the reading.
	Read func(rows []int64, size int) iter.Seq2[[]byte, error]
}

// Len returns N, the number of examples.
func (s Set) Len() int { return s.Index.Size(0) }

// Take returns the prepared examples x of the given rows of X, and their labels y. The Set must not have a Stream.
func (s Set) Take(rows torch.Tensor) (x, y torch.Tensor) {
	return s.prepare(s.X.IndexSelect(0, rows)), s.Y.IndexSelect(0, rows)
}

func (s Set) prepare(x torch.Tensor) torch.Tensor {
	if s.Prepare == nil {
		return x
	}
	return s.Prepare(x)
}

// Batch is examples [N ...], their labels [N] and their rows of the set [N].
type Batch struct{ X, Y, Rows torch.Tensor }

// picked is the raw content of a batch: rows of the set [N] and, for a set with a Stream, their examples.
type picked struct{ rows, x torch.Tensor }

// batch makes the batch of p.
func (s Set) batch(p picked) Batch {
	if s.Stream != nil {
		return Batch{s.prepare(p.x), s.Y.IndexSelect(0, p.rows), p.rows}
	}
	x, y := s.Take(p.rows)
	return Batch{x, y, p.rows}
}

// picks yields the content of the batches of rows [K] (Int64), size rows at a time; the last batch may be smaller. It,
// and every tensor made in the body of the loop, lives for one iteration. The error is nil unless the set has a Stream.
func (s Set) picks(rows torch.Tensor, size int) iter.Seq2[picked, error] {
	if s.Stream != nil {
		return s.streamed(rows, size)
	}
	return func(yield func(picked, error) bool) {
		n := rows.Size(0)
		for start, more := 0, true; start < n && more; start += size {
			torch.Scope(func() { more = yield(picked{rows: rows.Narrow(0, start, min(size, n-start))}, nil) })
		}
	}
}

func (s Set) streamed(rows torch.Tensor, size int) iter.Seq2[picked, error] {
	return func(yield func(picked, error) bool) {
		start := 0
		for pixels, err := range s.Stream.Read(torch.Slice[int64](rows), size) {
			if err != nil {
				yield(picked{}, err)
				return
			}
			more := true
			torch.Scope(func() {
				these := rows.Narrow(0, start, min(size, rows.Size(0)-start))
				x := torch.FromSlice(pixels, append([]int{these.Size(0)}, s.Stream.Shape...)...)
				more = yield(picked{these, upload(x, s.Y.Device())}, nil)
			})
			if !more {
				return
			}
			start += size
		}
	}
}

// upload copies x to the device. A GPU copies it from page-locked memory while the host, which reads no loss before the
// epoch ends, continues: it decodes and queues the next batch before this one's step is finished.
func upload(x torch.Tensor, to torch.Device) torch.Tensor {
	if to == torch.CPU {
		return x.ToDevice(to)
	}
	return x.Pin().Upload(torch.Options{DType: x.DType(), Device: to})
}
