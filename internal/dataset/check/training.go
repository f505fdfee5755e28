package check

import (
	"encoding/binary"

	"github.com/losscorr/losscorr/internal/dataset"
)

// InTraining returns how many test examples are equal to a training example in what a network sees. Images that
// are not in memory are not compared.
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

// content appends the bytes of an example to raw, nothing if it is not in memory.
func content(raw []byte, s *dataset.Split, k int) []byte {
	from, to := k*s.Size(), (k+1)*s.Size()
	switch {
	case s.Texts != nil:
		raw = append(raw, s.Texts[k]...)
	case s.Tokens != nil:
		raw = appended(raw, s.Tokens[from:to])
	case s.Sparse != nil:
		from, to := s.Sparse.Starts[k], s.Sparse.Starts[k+1]
		raw = appended(appended(raw, s.Sparse.Columns[from:to]), s.Sparse.Values[from:to])
	case s.X != nil:
		raw = append(raw, s.X[from:to]...)
	case s.Halves != nil:
		raw = appended(raw, s.Halves[from:to])
	case s.Features != nil:
		raw = appended(raw, s.Features[from:to])
	}
	return raw
}

func appended(raw []byte, numbers any) []byte {
	raw, err := binary.Append(raw, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // not numbers
	}
	return raw
}
