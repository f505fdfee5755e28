package rows

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tidwall/gjson"
)

// LabelStudio ends the names of Label Studio's JSON exports.
const LabelStudio = ".json"

// labelStudio is a JSON export of Label Studio, a list of tasks. Its rows are the tasks that
// have an annotation with one choice, of which the last one counts; or each such annotation. The
// columns are id and label, of annotations worker too, and the keys of the tasks' data.
type labelStudio struct {
	rows   []annotated
	keys   []string // of the data, by column; "" for the others
	chosen []int
	at     int
}

// annotated is a choice that a person has made for a task.
type annotated struct {
	task   gjson.Result
	worker string
	label  string
}

// Columns of a Label Studio export before the keys of the data.
var labelStudioColumns = []string{"id", "label", "worker"}

func newTasks(r *bufio.Reader) (table, []string, error)       { return newLabelStudio(r, false) }
func newAnnotations(r *bufio.Reader) (table, []string, error) { return newLabelStudio(r, true) }

func newLabelStudio(r *bufio.Reader, each bool) (table, []string, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, nil, fmt.Errorf("malformed JSON at byte %d: %w", syntax.Offset, err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("malformed JSON: %w", err)
	}
	t := &labelStudio{keys: make([]string, len(labelStudioColumns))}
	columns := slices.Clone(labelStudioColumns)
	for _, task := range gjson.ParseBytes(text).Array() {
		if !task.Get("data").IsObject() || !task.Get("id").Exists() {
			return nil, nil, errors.New("it is no JSON export of Label Studio, a list of tasks with id and data; a table of JSON has an object on each line, in a file .jsonl")
		}
		choices, err := Choices(task)
		if err != nil {
			return nil, nil, err
		}
		if !each && len(choices) > 0 {
			choices = choices[len(choices)-1:]
		}
		for _, c := range choices {
			t.rows = append(t.rows, annotated{task, c.Worker, c.Label})
		}
		task.Get("data").ForEach(func(key, _ gjson.Result) bool {
			if name := key.String(); !slices.Contains(t.keys, name) {
				t.keys = append(t.keys, name)
				if slices.Contains(labelStudioColumns, name) {
					name = "data." + name
				}
				columns = append(columns, name)
			}
			return true
		})
	}
	if len(t.rows) == 0 {
		return nil, nil, errors.New("none of its tasks has an annotation with a choice")
	}
	return t, columns, nil
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

func (t *labelStudio) choose(columns []int) { t.chosen = columns }

func (t *labelStudio) read(row []string) error {
	if t.at == len(t.rows) {
		return io.EOF
	}
	r := t.rows[t.at]
	t.at++
	for k, c := range t.chosen {
		switch {
		case c == 0:
			row[k] = r.task.Get("id").String()
		case c == 1:
			row[k] = r.label
		case c == 2:
			row[k] = r.worker
		default:
			row[k] = ""
			r.task.Get("data").ForEach(func(key, value gjson.Result) bool {
				if key.String() != t.keys[c] {
					return true
				}
				row[k] = value.String()
				return false
			})
		}
	}
	return nil
}

func (t *labelStudio) where() string { return ": task " + t.rows[t.at-1].task.Get("id").String() }

// OpenAnnotations is Open, but that the rows of a Label Studio export are its annotations, not
// its tasks.
func OpenAnnotations(path string) (*Reader, error) {
	return open(path, newAnnotations)
}
