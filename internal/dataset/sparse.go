package dataset

// Sparse is examples of numbers that are mostly zeros, row by row: those of row i that are not
// zero are Values[Starts[i]:Starts[i+1]], and stand in Columns of the same places.
type Sparse struct {
	Starts  []int32
	Columns []int32
	Values  []float32
}

// Rows returns the number of examples.
func (s *Sparse) Rows() int { return len(s.Starts) - 1 }
