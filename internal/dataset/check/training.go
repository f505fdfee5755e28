package check

import (
	"encoding/binary"
	"math"

	"github.com/losscorr/losscorr/internal/dataset"
)

// InTraining returns how many test examples are equal to a training example in all that a network sees of them.
// Images that are not in memory are not compared.
func InTraining(train, test *dataset.Split) (same int) {
	seen := map[exactKey]bool{}
	var raw []byte
	for k := range train.Len() {
		if raw = content(raw[:0], train, k); len(raw) > 0 {
			seen[hashOf(raw)] = true
		}
	}
	for k := range test.Len() {
		if raw = content(raw[:0], test, k); len(raw) > 0 && seen[hashOf(raw)] {
			same++
		}
	}
	return same
}

// content appends the bytes of an example to raw, none of one that is not in memory.
func content(raw []byte, s *dataset.Split, k int) []byte {
	from, to := k*s.Size(), (k+1)*s.Size()
	switch {
	case s.Texts != nil:
		raw = append(raw, s.Texts[k]...)
	case s.Tokens != nil:
		raw = appendNumbers(raw, s.Tokens[from:to])
	case s.Sparse != nil:
		from, to := s.Sparse.Starts[k], s.Sparse.Starts[k+1]
		raw = appendFloats(appendNumbers(raw, s.Sparse.Columns[from:to]), s.Sparse.Values[from:to])
	case s.X != nil:
		raw = append(raw, s.X[from:to]...)
	case s.Halves != nil:
		for _, v := range s.Halves[from:to] {
			raw = binary.LittleEndian.AppendUint16(raw, v)
		}
	case s.Features != nil:
		raw = appendFloats(raw, s.Features[from:to])
	}
	return raw
}

func appendNumbers(raw []byte, numbers []int32) []byte {
	for _, n := range numbers {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(n))
	}
	return raw
}

func appendFloats(raw []byte, numbers []float32) []byte {
	for _, x := range numbers {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}
