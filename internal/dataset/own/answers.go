package own

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/rows"
)

// AnswerColumns are the columns of a table of answers; "" for the usual names.
type AnswerColumns struct {
	Task   string // names of examples: task, id or file_name
	Worker string // names of people: worker or annotator
	Label  string // label

	// People are the columns of a table with a row for each example, where each column has one person's labels
	// and empty cells are missing answers. If nil, each row of the table is an answer.
	People []string
}

// Answers are the labels in a file that several people gave to examples.
type Answers struct {
	Tasks    []string // names of examples, in the order of the file
	Workers  []string
	Classes  []string // in numeric order if all are whole numbers, else sorted
	List     []annotators.Answer
	Findings []string // problems in the answers, for people
}

// ReadAnswers reads a file of answers. It may be a table (CSV, TSV, JSON lines, Parquet) with a row for each
// answer, or with a row for each example and a column for each person. Or it is an NPY file [N R] of class
// numbers by example and person, -1 or NaN for no answer. Missing labels are not answers. If a person has
// labelled an example twice, the last answer counts.
func ReadAnswers(path string, c AnswerColumns) (_ *Answers, err error) {
	defer within("answers", &err)
	r := answerReader{tasks: numbering{}, workers: numbering{}}
	switch {
	case isArray(path):
		err = r.array(path)
	case rows.Is(path):
		err = r.table(path, c)
	default:
		err = fmt.Errorf("%s: unknown ending for a file of answers: use %s, or .npy [N R]", path, rows.Endings)
	}
	if err != nil {
		return nil, err
	}
	return &r.out, r.finish(path)
}

// numbering numbers names in order of appearance, by their composed form of Unicode.
type numbering map[string]int32

func (n numbering) of(name string, list *[]string) int32 {
	form := norm.NFC.String(name)
	at, known := n[form]
	if !known {
		at = int32(len(*list))
		n[form], *list = at, append(*list, name)
	}
	return at
}

type answerReader struct {
	tasks, workers numbering
	labels         []string // of each answer
	empty          int      // answers without a label
	out            Answers
}

// add adds an answer, or an example without a label by a person.
func (r *answerReader) add(task, worker, label string) error {
	label, err := single(label)
	switch {
	case err != nil:
		return err
	case task == "":
		return errNoTask
	case isMissing(label):
		r.tasks.of(task, &r.out.Tasks)
		r.empty++
		return nil
	case worker == "":
		return errors.New("the name of the person is empty")
	}
	r.out.List = append(r.out.List, annotators.Answer{Task: r.tasks.of(task, &r.out.Tasks),
		Worker: r.workers.of(worker, &r.out.Workers)})
	r.labels = append(r.labels, norm.NFC.String(className(rows.Original(label))))
	return nil
}

// addAll adds the answers in the row of an example.
func (r *answerReader) addAll(task string, workers, labels []string) error {
	if _, twice := r.tasks[norm.NFC.String(task)]; twice {
		return fmt.Errorf("%q is listed twice: want one row for each example, with a column for each person", task)
	}
	if task == "" {
		return errNoTask
	}
	r.tasks.of(task, &r.out.Tasks)
	for k, label := range labels {
		if err := r.add(task, workers[k], label); err != nil {
			return err
		}
	}
	return nil
}

var errNoTask = errors.New("the name of the example is empty")

// person returns the name of a person from a cell.
func person(cell string) string { return rows.Original(strings.TrimSpace(strings.Clone(cell))) }

// usual returns given, or the first of the names that is a column.
func usual(t *rows.Reader, given string, names ...string) string {
	return cmp.Or(given, firstOf(t.Columns(), names...), names[0])
}

var usualTasks = []string{"task", "id", "file_name"}

// table reads a table with a row for each answer, or with a row for each example and a column for each person.
func (r *answerReader) table(path string, c AnswerColumns) error {
	t, err := rows.OpenDetails(path)
	if err != nil {
		return err
	}
	defer t.Close()
	columns, flags := append([]string{usual(t, c.Task, usualTasks...)}, c.People...), " (--task, --annotator)"
	if len(c.People) == 0 {
		columns = append(columns, usual(t, c.Worker, "worker", "annotator"), usual(t, c.Label, "label"))
		flags = " (--task, --worker and --answer name the columns; in a table with a column for each person, " +
			"--annotator names those columns)"
	}
	if err := t.Select(columns...); err != nil {
		return fmt.Errorf("%w%s", err, flags)
	}
	err = t.Each(func(values []string) (err error) {
		task := rows.Original(strings.Clone(values[0]))
		if len(c.People) > 0 {
			err = r.addAll(task, c.People, values[1:])
		} else {
			err = r.add(task, person(values[1]), values[2])
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", t.Where(), err)
		}
		return err
	})
	return err
}

// mostClass bounds the numbers of classes in an array: above it, float32 does not hold all whole numbers.
const mostClass = 1 << 24

func (r *answerReader) array(path string) error {
	a, err := npy.Open(path)
	if err != nil {
		return err
	}
	defer a.Close()
	if len(a.Shape) != 2 {
		return fmt.Errorf("%s: shape %v, want [N R] with a row for each example and a column for each person", path, a.Shape)
	}
	values, err := a.Float32s()
	if err != nil {
		return err
	}
	for i := range a.Shape[0] {
		task := strconv.Itoa(i)
		r.tasks.of(task, &r.out.Tasks)
		for k, v := range values[i*a.Shape[1] : (i+1)*a.Shape[1]] {
			if v == -1 || v != v {
				continue
			}
			if v < 0 || v >= mostClass || v != float32(int(v)) {
				return fmt.Errorf("%s: row %d, column %d (from 0) is %v, want the number of a class, or -1 or NaN for none", path,
					i, k, v)
			}
			if err := r.add(task, strconv.Itoa(k), strconv.Itoa(int(v))); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish numbers the labels, drops repeated answers, and looks for problems.
func (r *answerReader) finish(path string) error {
	a := &r.out
	r.dropMissing()
	if len(a.List) == 0 {
		return fmt.Errorf("%s has no answers", path)
	}
	a.Classes = classNames(r.labels)
	if n := len(a.Classes); n < 2 || n > 10 && n > len(a.List)/2 {
		return fmt.Errorf("%s: the labels of %d answers are %s: check the column of the labels", path, len(a.List),
			counted(a.Classes))
	}
	number := map[string]int32{}
	for k, name := range a.Classes {
		number[name] = int32(k)
	}
	type pair struct{ task, worker int32 }
	place := map[pair]int{}
	same, other := 0, 0
	kept := a.List[:0]
	for n, x := range a.List {
		x.Label = number[r.labels[n]]
		at, twice := place[pair{x.Task, x.Worker}]
		if !twice {
			place[pair{x.Task, x.Worker}] = len(kept)
			kept = append(kept, x)
			continue
		}
		if kept[at].Label == x.Label {
			same++
		} else {
			other++
		}
		kept[at] = x
	}
	a.List = kept
	if same+other > 0 {
		a.Findings = append(a.Findings, fmt.Sprintf("%s about an example that the same person had answered before; the "+
			"last one counts (%d of them differ)", humanize.Count(same+other, "answer"), other))
	}
	answered := map[int32]bool{}
	for _, x := range a.List {
		answered[x.Task] = true
	}
	if none := len(a.Tasks) - len(answered); none > 0 {
		a.Findings = append(a.Findings, "examples without an answer: "+strconv.Itoa(none))
	}
	return nil
}

// dropMissing drops numbers that stand for a missing answer.
func (r *answerReader) dropMissing() {
	missing := missingNumbers(r.labels, nil)
	if isTernary(classNames(r.labels)) && r.empty == 0 {
		missing = []string{"-1"}
	}
	if missing == nil {
		return
	}
	a, people := &r.out, r.out.Workers
	kept, labels := a.List[:0], r.labels[:0]
	r.workers, a.Workers = numbering{}, nil
	for n, x := range a.List {
		if !slices.Contains(missing, r.labels[n]) {
			x.Worker = r.workers.of(people[x.Worker], &a.Workers)
			kept, labels = append(kept, x), append(labels, r.labels[n])
		}
	}
	a.Findings = append(a.Findings, fmt.Sprintf(
		"answers that are %s: %d, left out as missing; if %[1]s is a class, write its name into the file",
		missing[0], len(a.List)-len(kept)))
	a.List, r.labels = kept, labels
}
