package annotators

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/losscorr/losscorr/correction"
)

// Answer says that a person has given a label to an example. All three are numbers from 0.
type Answer struct {
	Task, Worker, Label int32
}

// Answers are labels that several people gave. Memory goes by their number, not by that of
// examples times people.
type Answers struct {
	Tasks   int      // number of examples, those without an answer included
	Workers []string // names of the people
	Classes []string // names of the labels
	List    []Answer // by example, then by person

	first []int // those of example i are List[first[i]:first[i+1]]
}

// New returns answers to tasks examples. The list is copied.
//
// It is an error if there is no answer, if a number is out of range, if a person has two
// answers to an example, or if classes holds fewer than two names, an empty one or one twice.
func New(tasks int, workers, classes []string, list []Answer) (*Answers, error) {
	if err := correction.CheckClasses(classes); err != nil {
		return nil, fmt.Errorf("correction: answers: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("correction: answers: no answer")
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
			return nil, fmt.Errorf("correction: answers: %s has two answers to example %d", workers[x.Worker], x.Task)
		}
	}
	for i := range tasks {
		a.first[i+1] += a.first[i]
	}
	return a, nil
}

// Of returns the answers to an example, not a copy.
func (a *Answers) Of(task int) []Answer { return a.List[a.first[task]:a.first[task+1]] }

// row returns the values [N C] of an example, not a copy.
func (a *Answers) row(values []float64, task int) []float64 {
	c := len(a.Classes)
	return values[task*c : (task+1)*c]
}

// By returns the places in List of each person's answers.
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
