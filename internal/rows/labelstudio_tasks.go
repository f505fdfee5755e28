package rows

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// TasksEnding ends the names of Label Studio's exports.
const TasksEnding = ".json"

// IsTasks reports whether a file is an export of Label Studio.
func IsTasks(path string) bool {
	if !strings.HasSuffix(strings.ToLower(path), TasksEnding) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	var first json.RawMessage
	token, err := d.Token()
	return err == nil && token == json.Delim('[') && d.Decode(&first) == nil && isTask(gjson.ParseBytes(first))
}

func isTask(item gjson.Result) bool { return item.Get("data").IsObject() && item.Get("id").Exists() }

// tasks is a JSON export of Label Studio as a table. Its rows are the labelled tasks, each with its Newest label or,
// if byPerson is set, with every person's. The columns are id, worker, label and the keys of the tasks' data. If the
// labelling interface has several controls, those that give one class have a column each instead of label.
type tasks struct {
	byPerson bool
	columns  []string
	labels   int // number of columns of labels, the last of the first columns
	rows     []taskRow
	keys     []string // paths of the columns in the data; "" for the first columns
	chosen   []int
	at       int
}

type taskRow struct {
	task  gjson.Result
	first []string // the values of the first columns
}

func newExamples(r *bufio.Reader) (table, []string, error)    { return newTasks(r, false) }
func newAnnotations(r *bufio.Reader) (table, []string, error) { return newTasks(r, true) }

func newTasks(r *bufio.Reader, byPerson bool) (table, []string, error) {
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
	list := gjson.ParseBytes(text).Array()
	if len(list) == 0 || !isTask(list[0]) {
		return nil, nil, errors.New("it is no JSON export of Label Studio (tasks with id and data); a table of JSON has an " +
			"object on each line, in a file .jsonl")
	}
	t := &tasks{byPerson: byPerson}
	if err := t.fill(list); err != nil {
		return nil, nil, err
	}
	return t, t.columns, nil
}

func (t *tasks) fill(list []gjson.Result) error {
	for k, task := range list {
		if !isTask(task) {
			return fmt.Errorf("object %d, from 0, is not a task with an id: want objects with id and data", k)
		}
	}
	// tasks with the same id and data are one example, as in exports that were put together
	examples := grouped(list, func(task gjson.Result) string { return idOf(task) + "\x00" + task.Get("data|@ugly").Raw })
	if err := t.readAll(examples); err != nil {
		return err
	}
	if len(t.rows) == 0 {
		return errors.New("nobody has given a class to one of its examples; export regions of images as COCO or YOLO")
	}
	t.keys = make([]string, len(t.columns))
	known := map[string]bool{}
	for _, task := range list {
		task.Get("data").ForEach(func(key, _ gjson.Result) bool {
			name, path := key.String(), "data."+gjson.Escape(key.String())
			if known[path] {
				return true
			}
			known[path] = true
			if slices.Contains(t.columns, name) {
				name = "data." + name
			}
			t.keys, t.columns = append(t.keys, path), append(t.columns, name)
			return true
		})
	}
	return nil
}

func idOf(task gjson.Result) string { return task.Get("id").String() }

// SameTasks returns, for each task of an export, all tasks with its id.
func SameTasks(list []gjson.Result) [][]gjson.Result {
	all := map[string][]gjson.Result{}
	for _, task := range list {
		all[idOf(task)] = append(all[idOf(task)], task)
	}
	same := make([][]gjson.Result, len(list))
	for k, task := range list {
		same[k] = all[idOf(task)]
	}
	return same
}

func (t *tasks) choose(columns []int) { t.chosen = columns }

func (t *tasks) read(row []string) error {
	for t.at < len(t.rows) {
		r := t.rows[t.at]
		t.at++
		if t.byPerson && t.unlabelled(r) {
			continue
		}
		for k, c := range t.chosen {
			if row[k] = ""; c < len(r.first) {
				row[k] = r.first[c]
			} else {
				row[k] = r.task.Get(t.keys[c]).String()
			}
		}
		return nil
	}
	return io.EOF
}

// unlabelled reports whether a row has none of the labels that were chosen.
func (t *tasks) unlabelled(r taskRow) bool {
	asked := false
	for _, c := range t.chosen {
		if c < len(r.first) && c >= len(r.first)-t.labels {
			if r.first[c] != "" {
				return false
			}
			asked = true
		}
	}
	return asked
}

func (t *tasks) where() string { return ": task " + idOf(t.rows[t.at-1].task) }
