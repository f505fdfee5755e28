package dataset

// Sparse is examples of numbers that are mostly zeros. The nonzero numbers of row i are
// Values[Starts[i]:Starts[i+1]], in the columns at the same places of Columns.
type Sparse struct {
	Starts  []int32
	Columns []int32
	Values  []float32
}

// Rows returns the number of examples.
func (s *Sparse) Rows() int { return len(s.Starts) - 1 }
