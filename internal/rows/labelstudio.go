package rows

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// A JSON export of Label Studio, a list of tasks. Its rows are the tasks that have an annotation with one choice,
// of which the last one counts; or each such annotation. The columns are id, worker and label, and the keys of the
// tasks' data.
var labelStudio = tool{
	name: LabelStudio, title: "Label Studio (tasks with id and data)", content: []string{"data"},
	is:    isTask,
	read:  readTasks,
	place: func(task gjson.Result) string { return "task " + task.Get("id").String() },
}

func isTask(item gjson.Result) bool { return item.Get("data").IsObject() && item.Get("id").Exists() }

func readTasks(tasks []gjson.Result, each bool, t *objects) error {
	t.columns, t.labels = []string{"id", "worker", "label"}, 1
	for k, task := range tasks {
		if !isTask(task) {
			return fmt.Errorf("object %d, from 0, is no task of Label Studio with id and data", k)
		}
		choices, err := Choices(task)
		if err != nil {
			return err
		}
		if !each && len(choices) > 0 {
			choices = choices[len(choices)-1:]
		}
		for _, c := range choices {
			t.rows = append(t.rows, object{task, []string{task.Get("id").String(), c.Worker, c.Label}})
		}
	}
	return nil
}

// Choice is the class that a person has chosen for a task of Label Studio.
type Choice struct {
	Worker   string // number or address of the person
	Label    string
	From, To string // names of the labelling interface's control and object
}

// Choices returns those of the annotations of a task that are neither cancelled nor skipped, in
// their order. It is an error if one has several classes.
func Choices(task gjson.Result) (choices []Choice, err error) {
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
		for _, result := range annotation.Get("result").Array() {
			if result.Get("type").String() != "choices" {
				continue
			}
			names := result.Get("value.choices").Array()
			if len(names) != 1 {
				return nil, fmt.Errorf("task %s has %d choices in one annotation: an example has one class", task.Get("id"), len(names))
			}
			choices = append(choices, Choice{worker.String(), names[0].String(), result.Get("from_name").String(), result.Get("to_name").String()})
		}
	}
	return choices, nil
}
