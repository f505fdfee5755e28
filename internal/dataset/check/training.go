package check

import "github.com/losscorr/losscorr/internal/dataset"

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
	switch {
	case s.Texts != nil:
		raw = append(raw, s.Texts[k]...)
	case s.Tokens != nil:
		raw = appendNumbers(raw, s.Tokens[k*s.Size():(k+1)*s.Size()])
	case s.Sparse != nil:
		from, to := s.Sparse.Starts[k], s.Sparse.Starts[k+1]
		raw = appendNumbers(raw, s.Sparse.Columns[from:to])
		raw = appendBytes(raw, &dataset.Split{Features: s.Sparse.Values[from:to], Shape: []int{int(to - from)}}, 0)
	case s.X != nil || s.Halves != nil || s.Features != nil:
		raw = appendBytes(raw, s, k)
	}
	return raw
}
