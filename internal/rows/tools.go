package rows

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/humanize"
)

// ToolEnding ends the names of the exports of label tools that are tables.
const ToolEnding = ".json"

// tool is a label tool whose exports are lists of JSON objects, one for each example.
type tool struct {
	name    string
	title   string   // what people call it, and what its objects have
	content []string // the objects of an example whose keys are columns; the keys of others than the first follow its name
	object  string   // what the tool calls an example
	is      func(first gjson.Result) bool
	id      func(item gjson.Result) string // "" if the item is not an example
	// read adds the first columns, those of names and labels, and the rows: the examples with their last labels, or
	// each person's labels. An example may be several objects.
	read func(examples [][]gjson.Result, each bool, t *objects) error
}

// tools are the tools whose exports are tables. A new one is a file and an entry here.
var tools = []tool{argilla, labelStudio}

// Names of the forms.
const (
	Argilla     = "argilla"
	LabelStudio = "label-studio"
)

// ToolNames returns the names of the tools.
func ToolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// ToolOf returns the name of the tool that has written an export, "" of a tool that is not known.
func ToolOf(path string) string {
	if !strings.HasSuffix(strings.ToLower(path), ToolEnding) {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	var first json.RawMessage
	if token, err := d.Token(); err != nil || token != json.Delim('[') || d.Decode(&first) != nil {
		return ""
	}
	if at := toolOf(gjson.ParseBytes(first)); at >= 0 {
		return tools[at].name
	}
	return ""
}

func toolOf(first gjson.Result) int {
	return slices.IndexFunc(tools, func(t tool) bool { return t.is(first) })
}

// objects is an export of a tool as a table.
type objects struct {
	tool
	each    bool
	columns []string
	labels  int // how many of the first columns, the last of them, have labels
	rows    []object
	odd     []string // findings
	keys    []string // paths of the columns of content; "" of the first ones
	chosen  []int
	at      int
}

// object is a row.
type object struct {
	item  gjson.Result
	first []string // the values of the first columns
}

func newExamples(r *bufio.Reader) (table, []string, error)    { return newObjects(r, false) }
func newAnnotations(r *bufio.Reader) (table, []string, error) { return newObjects(r, true) }

func newObjects(r *bufio.Reader, each bool) (table, []string, error) {
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
	at := -1
	if len(list) > 0 {
		at = toolOf(list[0])
	}
	if at < 0 {
		var known []string
		for _, t := range tools {
			known = append(known, t.title)
		}
		return nil, nil, fmt.Errorf("it is no JSON export of %s; a table of JSON has an object on each line, in a file .jsonl", strings.Join(known, " or "))
	}
	t := &objects{tool: tools[at], each: each}
	if err := t.fill(list); err != nil {
		return nil, nil, err
	}
	return t, t.columns, nil
}

func (t *objects) fill(list []gjson.Result) error {
	for k, item := range list {
		if t.id(item) == "" {
			return fmt.Errorf("object %d, from 0, is not a %s with an id: want objects as in %s", k, t.object, t.title)
		}
	}
	examples := t.grouped(list)
	if again := len(list) - len(examples); again > 0 {
		t.odd = append(t.odd, fmt.Sprintf("%s with the same id and content: each counts once, with the labels of all copies",
			humanize.Count(again, "repeated "+t.object)))
	}
	if err := t.tool.read(examples, t.each, t); err != nil {
		return err
	}
	if len(t.rows) == 0 {
		return cmp.Or(checkRegions(list), errors.New("nobody has given a class to one of its examples"))
	}
	t.keys = make([]string, len(t.columns))
	known := map[string]bool{}
	for _, item := range list {
		for k, of := range t.content {
			item.Get(of).ForEach(func(key, _ gjson.Result) bool {
				path := of + "." + gjson.Escape(key.String())
				if known[path] {
					return true
				}
				known[path] = true
				name := key.String()
				if k > 0 || slices.Contains(t.columns, name) {
					name = of + "." + name
				}
				t.keys, t.columns = append(t.keys, path), append(t.columns, name)
				return true
			})
		}
	}
	return nil
}

// grouped joins the objects with the same id and content, as in exports that were put together.
func (t tool) grouped(list []gjson.Result) (examples [][]gjson.Result) {
	place := map[string]int{}
	for _, item := range list {
		key := t.id(item) + "\x00" + item.Get(t.content[0]+"|@ugly").Raw
		at, again := place[key]
		if !again {
			at, examples = len(examples), append(examples, nil)
			place[key] = at
		}
		examples[at] = append(examples[at], item)
	}
	return examples
}

// Same returns for each object of a tool's export the objects of the same example.
func Same(list []gjson.Result) [][]gjson.Result {
	t := tools[toolOf(list[0])]
	all := map[string][]gjson.Result{}
	for _, item := range list {
		all[t.id(item)] = append(all[t.id(item)], item)
	}
	same := make([][]gjson.Result, len(list))
	for k, item := range list {
		same[k] = all[t.id(item)]
	}
	return same
}

func (t *objects) choose(columns []int) { t.chosen = columns }

func (t *objects) read(row []string) error {
	for t.at < len(t.rows) {
		r := t.rows[t.at]
		t.at++
		if t.each && t.unlabelled(r) {
			continue
		}
		for k, c := range t.chosen {
			if row[k] = ""; c < len(r.first) {
				row[k] = r.first[c]
			} else {
				row[k] = r.item.Get(t.keys[c]).String()
			}
		}
		return nil
	}
	return io.EOF
}

// unlabelled reports whether a person has given none of the labels that are read.
func (t *objects) unlabelled(r object) bool {
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

func (t *objects) where() string { return ": " + t.object + " " + t.id(t.rows[t.at-1].item) }

// OpenAnnotations is Open, but that the rows of a label tool's export are each person's labels, not
// its examples.
func OpenAnnotations(path string) (*Reader, error) {
	return open(path, newAnnotations)
}

func (t *objects) findings() []string { return t.odd }
