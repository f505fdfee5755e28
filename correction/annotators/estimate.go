package annotators

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/correction/table"
)

// Entry describes a method: one line of the table All.
type Entry struct {
	Name       string
	Posteriors bool // it reads Options.Posteriors

	estimate func(a *Answers, o Options) *Consensus
}

// String returns the method's name.
func (e Entry) String() string { return e.Name }

// All is the table of methods. A new method is a file with its entry and a line here.
var All = table.Of[Entry]{transitionEntry, dawidSkeneEntry, majorityEntry}

// Options configure Estimate. The zero value selects the method "transition" without a network.
type Options struct {
	Method string // name in All; "" is the first one

	// Posteriors holds g = p(y|x) [N C] from networks that have not seen the example. nil: no network; the shares of the
	// classes take its place.
	Posteriors []float32
}

// Consensus is the joint estimate of the true classes and the people's matrices.
type Consensus struct {
	// Posterior holds q_i(k), the probability of each class for each example, [N C] row by row. An example without
	// answers has the network's posterior, or else the shares of the classes.
	Posterior []float64

	// Label holds the likeliest class of each example, the first on a tie.
	Label []int

	// T holds the matrix of each person, and Pooled the matrix of all together; nil if the method estimates none.
	T      []*correction.Matrix
	Pooled *correction.Matrix

	// LeftOut is the mean log probability of an answer given the network and the other people's answers. The better of
	// two networks has the higher LeftOut. 0 if the method does not compute it.
	LeftOut float64

	// Network and People are the exponents a and b, 1 if the method has none.
	Network, People float64

	classes int
}

// Estimate computes the consensus of answers. It is an error if the method is unknown or does not read the given
// posteriors, or if these are not a.Tasks x classes, negative or not finite.
func Estimate(a *Answers, o Options) (*Consensus, error) {
	entry := All.Named(cmp.Or(o.Method, All[0].Name))
	if entry.Name == "" {
		return nil, fmt.Errorf("correction: consensus: unknown method %q: use one of %v", o.Method, All.Names())
	}
	if o.Posteriors != nil {
		if !entry.Posteriors {
			return nil, fmt.Errorf("correction: consensus: method %s cannot use posteriors", entry.Name)
		}
		if want := a.Tasks * len(a.Classes); len(o.Posteriors) != want {
			return nil, fmt.Errorf("correction: consensus: %d posteriors, want %d examples x %d classes", len(o.Posteriors),
				a.Tasks, len(a.Classes))
		}
		if err := correction.CheckPosteriors(o.Posteriors, a.Classes); err != nil {
			return nil, fmt.Errorf("correction: consensus: %w", err)
		}
	}
	c := entry.estimate(a, o)
	c.classes = len(a.Classes)
	c.Label = make([]int, a.Tasks)
	for i := range c.Label {
		c.Label[i] = floats.MaxIdx(c.Of(i))
	}
	return c, nil
}

// Of returns the probabilities of an example without copying them.
func (c *Consensus) Of(task int) []float64 {
	return c.Posterior[task*c.classes : (task+1)*c.classes]
}

// Sure returns the probability of the consensus label of an example.
func (c *Consensus) Sure(task int) float64 { return c.Of(task)[c.Label[task]] }

// Wrong returns the probability that an answer is not the true class.
func (c *Consensus) Wrong(x Answer) float64 { return 1 - c.Of(int(x.Task))[x.Label] }

// Likelihoods returns the products over an example's answers of T_r[k][y_ir]^b [N C], without the network and the
// shares of the classes, scaled so that the largest of a row is 1. An example without answers has a row of zeros.
// Panics if the consensus has no matrices.
func (c *Consensus) Likelihoods(a *Answers) []float32 {
	out := make([]float32, a.Tasks*c.classes)
	logs := make([]float64, c.classes)
	for i := range a.Tasks {
		answers := a.Of(i)
		if len(answers) == 0 {
			continue
		}
		clear(logs)
		for k := range logs {
			for _, x := range answers {
				logs[k] += c.People * math.Log(c.T[x.Worker].At(k, int(x.Label)))
			}
		}
		highest := slices.Max(logs)
		for k, v := range logs {
			out[i*c.classes+k] = float32(math.Exp(v - highest))
		}
	}
	return out
}
