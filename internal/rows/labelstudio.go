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

// readAll adds the first columns, with names and labels, and the rows: the examples with their last labels, or each
// person's. An example may be several tasks.
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
		if t.each {
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

// rowOf returns the first columns of a task with an annotation, nil where it has no choice of a control.
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

// Annotation is what a person has submitted for a task of Label Studio.
type Annotation struct {
	Worker      string   // number or address of the person
	GroundTruth bool     // a reviewer has marked it as right
	Choices     []Choice // one for each control; nil if the person has taken them back

	updated, created time.Time // later than all others where the export lacks them
	id               int64     // the same
}

// Choice is what a person has chosen with one control.
type Choice struct {
	Labels   []string
	From, To string // names of the labelling interface's control and object
}

// Annotations returns a task's objects that are neither cancelled nor skipped, in the order of the file.
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

// timeOf returns a time, the latest there is in place of a missing one.
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

// Newest returns the annotation that counts: of the ground truths, if there are some, else of all, the one that was
// updated last; of equal times the one that was created last, then the one with the highest id, then the last in the
// file. One without times or id counts as newer, since a program has added it. The newest of none is empty.
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

// regions are what people draw in images.
var regions = []string{"rectanglelabels", "polygonlabels", "ellipselabels", "keypointlabels", "brushlabels"}

// checkRegions returns an error if people have drawn regions in images.
func checkRegions(tasks []gjson.Result) error {
	for _, task := range tasks {
		for _, kind := range task.Get("annotations.#.result.#.type|@flatten").Array() {
			if slices.Contains(regions, kind.String()) {
				return fmt.Errorf("its labels are regions of images (%s): export the project as COCO or YOLO, and give that", kind)
			}
		}
	}
	return nil
}

// Controls returns the names of the controls with which people have given one class to each task, and whether there are
// others, with which they have given several. It is an error if there are only others.
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
