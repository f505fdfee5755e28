package cluster

import (
	"slices"

	"github.com/losscorr/losscorr/internal/store"
)

// Left returns the places of the runs without a result under root, in the plan's order. It omits implied runs that no
// unfinished run needs.
func Left(plan store.PlanFile, root string) []int {
	unfinished, needed := map[string]bool{}, map[string]bool{}
	for _, c := range plan.Plan.Unfinished(root) {
		unfinished[c.ID()] = true
	}
	for _, r := range plan.Runs {
		if unfinished[r.ID] {
			needed[r.Needs] = true
		}
	}
	var left []int
	for i, r := range plan.Runs {
		if unfinished[r.ID] && (!r.Implied || needed[r.ID]) {
			left = append(left, i)
		}
	}
	return left
}

// Tasks holds task numbers by when the tasks can start.
type Tasks struct {
	First []int // with runs that others need
	Rest  []int
}

// Phases returns the tasks, of pack runs each, that contain the runs at the given places.
func Phases(plan store.PlanFile, places []int, pack int) Tasks {
	needed := map[string]bool{}
	for _, i := range places {
		needed[plan.Runs[i].Needs] = true
	}
	var t Tasks
	for _, i := range places {
		task := i / pack
		if needed[plan.Runs[i].ID] && !slices.Contains(t.First, task) {
			t.First = append(t.First, task)
		}
	}
	for _, i := range places {
		task := i / pack
		if !slices.Contains(t.First, task) && (len(t.Rest) == 0 || t.Rest[len(t.Rest)-1] != task) {
			t.Rest = append(t.Rest, task)
		}
	}
	return t
}

// Places returns the places of a task's runs, in a plan of total runs.
func Places(task, pack, total int) []int {
	var out []int
	for i := task * pack; i < min(total, (task+1)*pack); i++ {
		out = append(out, i)
	}
	return out
}
