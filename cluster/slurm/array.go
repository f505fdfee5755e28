package slurm

// DefaultMaxArraySize is that of a cluster whose configuration sets none.
const DefaultMaxArraySize = 1001

// chunk is a part of an array that Slurm takes: its indices are the numbers of the
// tasks less the offset.
type chunk struct {
	offset int
	tasks  []int
}

// chunks divides ascending tasks so that no index reaches size, Slurm's
// MaxArraySize. Where all fit, the offset is 0 and indices are tasks.
func chunks(tasks []int, size int) []chunk {
	var out []chunk
	for i := 0; i < len(tasks); {
		c := chunk{}
		if tasks[len(tasks)-1] >= size {
			c.offset = tasks[i]
		}
		j := i
		for j < len(tasks) && tasks[j]-c.offset < size {
			j++
		}
		c.tasks = tasks[i:j]
		out = append(out, c)
		i = j
	}
	return out
}

// indices are the array's numbers.
func (c chunk) indices() []int {
	out := make([]int, len(c.tasks))
	for i, t := range c.tasks {
		out[i] = t - c.offset
	}
	return out
}
