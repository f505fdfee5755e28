package rows

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// A JSON export of Label Studio, a list of tasks. Its rows are the tasks that have an annotation with a choice, of
// which the last one counts; or each such annotation. The columns are id, worker and label, where the labelling
// interface has several controls the names of those with one choice in place of label, and the keys of the tasks' data.
var labelStudio = tool{
	name: LabelStudio, title: "Label Studio (tasks with id and data)", content: []string{"data"},
	is:    isTask,
	read:  readTasks,
	place: func(task gjson.Result) string { return "task " + task.Get("id").String() },
}

func isTask(item gjson.Result) bool { return item.Get("data").IsObject() && item.Get("id").Exists() }

func readTasks(tasks []gjson.Result, each bool, t *objects) error {
	controls, others, err := Controls(tasks)
	if err != nil {
		return err
	}
	t.columns, t.labels = append([]string{"id", "worker"}, controls...), len(controls)
	if len(controls) == 1 && !others {
		t.columns[2] = "label"
	}
	for k, task := range tasks {
		if !isTask(task) {
			return fmt.Errorf("object %d, from 0, is no task of Label Studio with id and data", k)
		}
		var labelled [][]string
		for _, choices := range Choices(task) {
			row, chosen := make([]string, len(t.columns)), false
			row[0] = task.Get("id").String()
			if !each && len(labelled) > 0 {
				row = labelled[0]
			}
			for _, c := range choices {
				if at := slices.Index(controls, c.From); at >= 0 {
					row[1], row[2+at], chosen = c.Worker, c.Labels[0], true
				}
			}
			if chosen && (each || len(labelled) == 0) {
				labelled = append(labelled, row)
			}
		}
		for _, row := range labelled {
			t.rows = append(t.rows, object{task, row})
		}
	}
	return nil
}

// Choice is what a person has chosen for a task of Label Studio.
type Choice struct {
	Worker   string // number or address of the person
	Labels   []string
	From, To string // names of the labelling interface's control and object
}

// Choices returns those of each annotation of a task that is neither cancelled nor skipped, in their order: one of a
// control.
func Choices(task gjson.Result) (annotations [][]Choice) {
	for _, annotation := range task.Get("annotations").Array() {
		if annotation.Get("was_cancelled").Bool() || annotation.Get("skipped").Bool() {
			continue
		}
		worker := annotation.Get("completed_by")
		if worker.IsObject() {
			if worker = worker.Get("email"); worker.String() == "" {
				worker = annotation.Get("completed_by.id")
			}
		}
		var choices []Choice
		for _, result := range annotation.Get("result").Array() {
			names := result.Get("value.choices").Array()
			if result.Get("type").String() != "choices" || len(names) == 0 {
				continue
			}
			from := result.Get("from_name").String()
			at := slices.IndexFunc(choices, func(c Choice) bool { return c.From == from })
			if at < 0 {
				at, choices = len(choices), append(choices, Choice{Worker: worker.String(), From: from, To: result.Get("to_name").String()})
			}
			for _, name := range names {
				choices[at].Labels = append(choices[at].Labels, name.String())
			}
		}
		annotations = append(annotations, choices)
	}
	return annotations
}

// Controls returns the names of the controls by which people have given one class to a task, and whether there are
// others, by which they have given several. It is an error if there are only others.
func Controls(tasks []gjson.Result) (single []string, others bool, err error) {
	several := map[string]bool{}
	for _, task := range tasks {
		for _, c := range slices.Concat(Choices(task)...) {
			if !slices.Contains(single, c.From) {
				single = append(single, c.From)
			}
			if n := len(c.Labels); n > 1 {
				several[c.From] = true
				err = cmp.Or(err, fmt.Errorf("task %s has %d choices in one annotation: an example has one class", task.Get("id"), n))
			}
		}
	}
	if single = slices.DeleteFunc(single, func(name string) bool { return several[name] }); len(single) > 0 {
		err = nil
	}
	return single, len(several) > 0, err
}
