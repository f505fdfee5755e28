package annotatorsbench

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/annotators"
)

// Answers that are bought are those that people gave, each once, to the examples and by the people
// that a rule names; a branch of a simulation leaves the others alone.
func TestPurchase(t *testing.T) {
	const tasks = 600
	var list []annotators.Answer
	data := crowd{}
	for i := range int32(tasks) {
		data.truth = append(data.truth, int(i)%2)
		for r := range 2 + i%2 {
			label := i % 2
			if r == 1 {
				label = 1 - label
			}
			list = append(list, annotators.Answer{Task: i, Worker: r, Label: label})
		}
	}
	var err error
	if data.answers, err = annotators.New(tasks, []string{"a", "b", "c"}, []string{"0", "1"}, list); err != nil {
		t.Fatal(err)
	}
	first := begin(data, 1)
	if len(first.have) != tasks {
		t.Fatalf("%d answers at first", len(first.have))
	}
	for _, rule := range rules {
		if rule.python {
			continue
		}
		p := first.with(1)
		questions, err := rule.ask(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.buy(questions); err != nil {
			t.Fatal(err)
		}
		all := slices.Clone(p.have)
		for k, q := range questions[:bought] {
			if x := p.have[tasks+k]; int(x.Task) != q.Task || q.Worker >= 0 && int(x.Worker) != q.Worker {
				t.Fatalf("%s: answer %+v to question %+v", rule.name, x, q)
			}
		}
		for _, left := range p.forSale {
			all = append(all, left...)
		}
		slices.SortFunc(all, func(x, y annotators.Answer) int { return 10*int(x.Task-y.Task) + int(x.Worker-y.Worker) })
		if !slices.Equal(all, list) {
			t.Errorf("%s: the answers bought and for sale are not those of the data", rule.name)
		}
		if err := p.buy(nil); err == nil {
			t.Errorf("%s: nothing can be bought", rule.name)
		}
	}
	if len(first.have) != tasks {
		t.Errorf("%d first answers after the rules bought", len(first.have))
	}
	// By majority an example with one vote for each class counts as half; that of no vote is not there.
	first.have = []annotators.Answer{{Task: 0, Worker: 0, Label: 0}, {Task: 0, Worker: 1, Label: 1}}
	for i := range int32(tasks - 1) {
		first.have = append(first.have, annotators.Answer{Task: i + 1, Worker: 0, Label: (i + 1) % 2})
	}
	if _, majority, err := first.right(); err != nil || majority < 1-.51/tasks || majority > 1-.49/tasks {
		t.Errorf("majority %v, %v; want all but half an example", majority, err)
	}
}
