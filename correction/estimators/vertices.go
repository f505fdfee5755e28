package estimators

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
)

var verticesEntry = Entry{
	Name: "vertices", About: "corners of the cloud of posteriors, with counts of labels",
	Counts: true, Labels: true, Beside: "class-quantile", estimate: estimateVertices,
}

// The constants of estimateVertices. Shares are relative to the size of a class, n/c
// examples.
const (
	vertexShare = .3 // examples to find and move a vertex
	labelShare  = .2 // examples to count labels at a vertex
	modeSteps   = 15
	searches    = 10 // attempts to find a new vertex
	sameVertex  = .1 // L1 distance below which two vertices are the same
	halvings    = 5  // halvings of the class size
	nearKept    = 3  // times the examples counted, for the bootstrap
	manyClasses = 100
	unequal     = 3 // largest ratio of the class size in a search to the smallest class it finds
)

// estimateVertices finds the rows of T without class names and then names them. The noisy posterior of an example is
// a mixture of the rows of T weighted by its clean posterior, sum_i p(y=i|x) T_i, so the posteriors of X' fill a
// simplex whose vertices are the rows:
//
//  1. Successive projection (Araújo et al., 2001; Gillis and Vavasis, 2014): c times, take the middle one of the
//     .3 n/c examples of largest residual norm. The mean of the .3 n/c posteriors nearest to it begins a vertex.
//  2. Mode seeking: 15 times, replace the vertex by the median, entry by entry and normalised, of the .3 n/c
//     posteriors nearest to it. If it ends within an L1 distance of .1 from an earlier one, repeat step 1 without the
//     examples that it began from, up to 10 times. Project the direction of the vertex out of all examples.
//  3. Counting: a row of T-hat is the shares of the noisy labels among the .2 n/c examples nearest to the vertex.
//     Counts do not inherit the network's errors of calibration.
//  4. Naming: assign names such that the trace of T-hat is largest. With trusted labels, estimate names the rows again.
//
// Classes of unequal size: if fewer than n/(3c) examples are nearest to one of the vertices, a class is too small for
// this search, or was missed. The search is repeated with half the class size, up to 5 times, until every vertex has
// at least a third of that size. Then steps 2 and 3 use the number of examples nearest to a vertex in place of n/c.
// If no size works, for example because posteriors do not reach the rows of T, the first search counts.
//
// A class with too few labels has no vertex and no counts: its row is one right label plus the pseudo-examples of all
// rows.
//
// More than 100 classes with a mean of fewer than 20 labels are too many to search. Each row then counts the labels
// of the examples that the network assigns to its class.
//
// The argmax over a column finds an example of another class if T_ki > T_ii for some k. Vertices are found even then,
// and trusted labels name them.
func estimateVertices(p *posteriors, noisy []int, _ Options) (reading, error) {
	kept, rare := byRarity(noisy, p.c)
	if p.c > manyClasses && p.n < rareLabels*p.c {
		return countLikeliest(p, noisy), nil
	}
	s := &cloud{n: p.n, c: len(kept), size: 1, near: newIndex(p.rows)}
	found, sizes := s.search()
	r := newReading(p.c)
	r.at, r.near, r.counted = found, make([][]int, p.c), make([]int, p.c)
	for i, v := range found {
		s.size = sizes[i]
		r.counted[i] = s.share(labelShare)
		r.near[i] = s.near.inOrder(v, min(p.n, nearKept*r.counted[i]))
		r.anchors[i] = r.near[i][0]
		for _, x := range r.of(i) {
			r.rows[i][noisy[x]]++
		}
	}
	cost := make([][]float64, len(kept))
	for i := range cost {
		for _, k := range kept {
			cost[i] = append(cost[i], -r.rows[i][k]/floats.Sum(r.rows[i])) // classes of unequal size have unequal counts
		}
	}
	names := make([]int, 0, p.c)
	for _, j := range correction.Assign(cost) {
		names = append(names, kept[j])
	}
	for v, k := range rare {
		row := r.rows[len(kept)+v]
		row[k] = 1
		r.at, r.anchors[len(kept)+v] = append(r.at, slices.Clone(row)), floats.MaxIdx(p.scores(k))
	}
	r.rename(append(names, rare...))
	return r, nil
}

// countLikeliest counts, for each class, the labels of the examples with this likeliest class, surest first. A class
// without examples counts one right label.
func countLikeliest(p *posteriors, noisy []int) reading {
	r := newReading(p.c)
	r.at, r.near, r.counted = zeros(p.c), make([][]int, p.c), make([]int, p.c)
	for x := range p.n {
		k := floats.MaxIdx(p.log[x])
		r.near[k] = append(r.near[k], x)
		r.rows[k][noisy[x]]++
	}
	for k, near := range r.near {
		slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(p.log[b][k], p.log[a][k]) })
		r.counted[k], r.at[k][k] = len(near), 1
		if len(near) == 0 {
			r.rows[k][k], r.anchors[k] = 1, floats.MaxIdx(p.scores(k))
			continue
		}
		r.anchors[k], r.at[k] = near[0], p.rows[near[0]]
	}
	return r
}

// cloud holds the posteriors of X' as points in an index.
type cloud struct {
	n, c int     // n examples; search for c classes
	size float64 // class size of the search, relative to n/c
	near *index
}

// share returns the number of examples in the given share of a class.
func (s *cloud) share(of float64) int {
	return min(s.n, max(1, int(math.Round(of*float64(s.n)/float64(s.c)*s.size))))
}

// search returns c vertices and the sizes of their classes relative to n/c, which are all 1 unless the classes are
// unequal.
func (s *cloud) search() (found [][]float64, sizes []float64) {
	defer func() { s.size = 1 }()
	equal := slices.Repeat([]float64{1}, s.c)
	var first [][]float64
	for range halvings + 1 {
		found = s.vertices()
		if first == nil {
			first = found
		}
		switch sizes = s.cells(found); {
		case s.size > unequal*slices.Min(sizes):
			s.size /= 2
		case s.size == 1:
			return found, equal
		default:
			for i, v := range found {
				s.size = sizes[i]
				found[i] = s.mode(v)
			}
			return found, sizes
		}
	}
	return first, equal
}

// cells returns the number of examples nearest to each vertex, relative to n/c. The first of equal vertices has them
// all.
func (s *cloud) cells(vertices [][]float64) []float64 {
	sizes := make([]float64, len(vertices))
	ix := newIndex(vertices)
	for _, point := range s.near.rows {
		sizes[ix.nearest(point, 1)[0]] += float64(s.c) / float64(s.n)
	}
	return sizes
}

// vertices returns c vertices by successive projection.
func (s *cloud) vertices() [][]float64 {
	left := newResiduals(s.near)
	var found [][]float64
	for range s.c {
		v := s.next(left, found)
		found = append(found, v)
		left.project(v)
	}
	return found
}

// next finds a vertex among the examples of large residual. If two vertices point in similar directions, the scatter
// of the examples around the first exceeds the residuals of the second. So a search that ends at a known vertex
// starts again without the examples that it started from.
func (s *cloud) next(left *residuals, found [][]float64) []float64 {
	k := s.share(vertexShare)
	out := make([]bool, s.n)
	for try := 1; ; try++ {
		start := left.largest(k, out)[k/2]
		around := slices.Clone(s.near.nearest(s.near.rows[start], k))
		v := make([]float64, len(s.near.rows[start]))
		for _, x := range around {
			floats.AddScaled(v, 1/float64(k), s.near.rows[x])
		}
		v = s.mode(v)
		known := slices.ContainsFunc(found, func(w []float64) bool { return floats.Distance(v, w, 1) < sameVertex })
		if !known || try == searches {
			return v
		}
		for _, x := range around {
			out[x] = true
		}
	}
}

// mode moves a vertex to the densest posteriors around it.
func (s *cloud) mode(v []float64) []float64 {
	k := s.share(vertexShare)
	column := make([]float64, k)
	for range modeSteps {
		near := s.near.nearest(v, k)
		next := make([]float64, len(v))
		for j := range next {
			for a, x := range near {
				column[a] = s.near.rows[x][j]
			}
			slices.Sort(column)
			next[j] = (column[k/2] + column[(k-1)/2]) / 2
		}
		sum := floats.Sum(next)
		if sum == 0 {
			return v
		}
		floats.Scale(1/sum, next)
		if slices.Equal(next, v) {
			return v
		}
		v = next
	}
	return v
}
