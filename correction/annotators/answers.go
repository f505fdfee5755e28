package annotators

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// Answer is the label that a person gave to an example. All three are numbers from 0.
type Answer struct {
	Task, Worker, Label int32
}

// Answers are the labels that several people gave. Memory grows with the number of answers, not with examples times
// people.
type Answers struct {
	Tasks   int      // number of examples, with or without answers
	Workers []string // names of the people
	Classes []string // names of the labels
	List    []Answer // by example, then by person

	first []int // example i has the answers List[first[i]:first[i+1]]
}

// New returns the answers in a copy of list, which are to tasks examples.
//
// It is an error if list is empty, a number is out of range, a person answers an example twice, or classes has fewer
// than two names, an empty or a repeated one.
func New(tasks int, workers, classes []string, list []Answer) (*Answers, error) {
	if err := correction.CheckClasses(classes); err != nil {
		return nil, fmt.Errorf("correction: answers: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("correction: answers: no answers were given")
	}
	a := &Answers{Tasks: tasks, Workers: workers, Classes: classes, List: slices.Clone(list), first: make([]int, tasks+1)}
	for n, x := range list {
		for _, of := range []struct {
			what  string
			value int32
			count int
		}{{"example", x.Task, tasks}, {"person", x.Worker, len(workers)}, {"label", x.Label, len(classes)}} {
			if of.value < 0 || int(of.value) >= of.count {
				return nil, fmt.Errorf("correction: answers: answer %d: %s %d, want one in [0, %d)", n, of.what, of.value, of.count)
			}
		}
		a.first[x.Task+1]++
	}
	slices.SortFunc(a.List, func(x, y Answer) int {
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Worker, y.Worker))
	})
	for n, x := range a.List[1:] {
		if before := a.List[n]; x.Task == before.Task && x.Worker == before.Worker {
			return nil, fmt.Errorf("correction: answers: %s answers example %d twice: remove one of the two",
				workers[x.Worker], x.Task)
		}
	}
	for i := range tasks {
		a.first[i+1] += a.first[i]
	}
	return a, nil
}

// Of returns the answers to an example without copying them.
func (a *Answers) Of(task int) []Answer { return a.List[a.first[task]:a.first[task+1]] }

// row returns an example's row of values [N C] without copying it.
func (a *Answers) row(values []float64, task int) []float64 {
	c := len(a.Classes)
	return values[task*c : (task+1)*c]
}

// By returns the indices in List of each person's answers.
func (a *Answers) By() [][]int32 {
	count := make([]int, len(a.Workers))
	for _, x := range a.List {
		count[x.Worker]++
	}
	by := make([][]int32, len(a.Workers))
	for r, n := range count {
		by[r] = make([]int32, 0, n)
	}
	for n, x := range a.List {
		by[x.Worker] = append(by[x.Worker], int32(n))
	}
	return by
}
