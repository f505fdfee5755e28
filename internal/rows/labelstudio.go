package rows

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/humanize"
)

// readAll adds the first columns, which have names and labels, and the rows: examples with their newest labels, or with
// each person's. Each example is given as its tasks, which may be several.
func (t *tasks) readAll(examples [][]gjson.Result) error {
	controls, others, err := Controls(slices.Concat(examples...))
	if err != nil {
		return err
	}
	t.columns, t.labels = append([]string{"id", "worker"}, controls...), len(controls)
	if len(controls) == 1 && !others {
		t.columns[2] = "label"
	}
	for _, same := range examples {
		counting := [][]Annotation{Annotations(same...)}
		if t.byPerson {
			counting = grouped(counting[0], func(a Annotation) string { return a.Worker })
		}
		for _, of := range counting {
			if row := rowOf(same[0], Newest(of), controls); row != nil {
				t.rows = append(t.rows, taskRow{same[0], row})
			}
		}
	}
	return nil
}

// grouped groups the elements of a list by their keys, in the order of first occurrence.
func grouped[T any](list []T, key func(T) string) (groups [][]T) {
	place := map[string]int{}
	for _, x := range list {
		name := key(x)
		at, known := place[name]
		if !known {
			at, groups = len(groups), append(groups, nil)
			place[name] = at
		}
		groups[at] = append(groups[at], x)
	}
	return groups
}

// rowOf returns the first columns of a task with an annotation, or nil if no class was chosen with the controls.
func rowOf(task gjson.Result, a Annotation, controls []string) []string {
	row, chosen := make([]string, 2+len(controls)), false
	row[0], row[1] = idOf(task), a.Worker
	for _, c := range a.Choices {
		if at := slices.Index(controls, c.From); at >= 0 {
			row[2+at], chosen = c.Labels[0], true
		}
	}
	if !chosen {
		return nil
	}
	return row
}

// Annotation is one person's answer to a task of Label Studio.
type Annotation struct {
	Worker      string   // number or address of the person
	GroundTruth bool     // a reviewer marked it as right
	Choices     []Choice // one for each control; nil if the person withdrew them

	updated, created time.Time // if missing, later than all others
	id               int64     // if missing, the highest
}

// Choice is what a person chose with one control.
type Choice struct {
	Labels   []string
	From, To string // names of the labelling interface's control and object
}

// Annotations returns the annotations of tasks that were neither cancelled nor skipped, in the order of the file.
func Annotations(tasks ...gjson.Result) (list []Annotation) {
	var all []gjson.Result
	for _, task := range tasks {
		all = append(all, task.Get("annotations").Array()...)
	}
	for _, annotation := range all {
		if annotation.Get("was_cancelled").Bool() || annotation.Get("skipped").Bool() {
			continue
		}
		worker := annotation.Get("completed_by")
		if worker.IsObject() {
			if worker = worker.Get("email"); worker.String() == "" {
				worker = annotation.Get("completed_by.id")
			}
		}
		a := Annotation{
			Worker: worker.String(), GroundTruth: annotation.Get("ground_truth").Bool(), Choices: choicesOf(annotation),
			created: timeOf(annotation.Get("created_at")), updated: timeOf(annotation.Get("updated_at")), id: math.MaxInt64,
		}
		if !annotation.Get("updated_at").Exists() {
			a.updated = a.created
		}
		if id := annotation.Get("id"); id.Exists() {
			a.id = id.Int()
		}
		list = append(list, a)
	}
	return list
}

// timeOf returns a time, or the latest of all times if it is missing.
func timeOf(text gjson.Result) time.Time {
	if at := text.Time(); !at.IsZero() {
		return at
	}
	return time.Unix(1<<40, 0)
}

func choicesOf(annotation gjson.Result) (choices []Choice) {
	for _, result := range annotation.Get("result").Array() {
		names := result.Get("value.choices").Array()
		if result.Get("type").String() != "choices" || len(names) == 0 {
			continue
		}
		from := result.Get("from_name").String()
		at := slices.IndexFunc(choices, func(c Choice) bool { return c.From == from })
		if at < 0 {
			at, choices = len(choices), append(choices, Choice{From: from, To: result.Get("to_name").String()})
		}
		for _, name := range names {
			choices[at].Labels = append(choices[at].Labels, name.String())
		}
	}
	return choices
}

// Newest returns the annotation that counts: the last updated ground truth or, if there is none, the last updated
// annotation. Ties go to the last created one, then to the highest id, then to the last in the file. An annotation
// without times or id was added by a program and counts as newer. The result is empty if there are none.
func Newest(annotations []Annotation) (newest Annotation) {
	for k, a := range annotations {
		if k == 0 || compare(a, newest) >= 0 {
			newest = a
		}
	}
	return newest
}

func compare(a, b Annotation) int {
	switch {
	case a.GroundTruth && !b.GroundTruth:
		return 1
	case b.GroundTruth && !a.GroundTruth:
		return -1
	}
	return cmp.Or(a.updated.Compare(b.updated), a.created.Compare(b.created), cmp.Compare(a.id, b.id))
}

// Controls returns the controls that never gave several classes in one annotation, and whether others did. It is an
// error if all did.
func Controls(tasks []gjson.Result) (single []string, others bool, err error) {
	several, first, count := map[string]bool{}, "", 0
	for _, task := range tasks {
		many := false
		for _, a := range Annotations(task) {
			for _, c := range a.Choices {
				if !slices.Contains(single, c.From) {
					single = append(single, c.From)
				}
				if len(c.Labels) > 1 {
					several[c.From], many = true, true
				}
			}
		}
		if many {
			count++
			first = cmp.Or(first, task.Get("id").String())
		}
	}
	single = slices.DeleteFunc(single, func(name string) bool { return several[name] })
	if len(single) == 0 && count > 0 {
		err = fmt.Errorf("%s with several choices in one annotation, the first is task %s: an audit needs one class of each",
			humanize.Count(count, "task"), first)
	}
	return single, count > 0, err
}
