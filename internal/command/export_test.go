package command

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/audittest"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// project returns an export of Label Studio with odd white space, escapes, numbers and unknown keys,
// and every tenth label wrong, and the posteriors of a good model. Task 1001 has an older and a
// cancelled annotation, task 1002 is not labelled, and every fourth has a prediction.
func project(t *testing.T, dir string) (path, probabilities string) {
	t.Helper()
	names := []string{"cat", "døg \"x\""}
	rng := rand.New(rand.NewPCG(5, 6))
	annotation := func(label, rest string) string {
		return fmt.Sprintf(`{"id":7,%s "result" : [{"value":{"choices":[%q]},"id":"a","from_name":"kind","to_name":"txt","type":"choices"}]}`, rest, label)
	}
	var tasks []string
	var p []float32
	for k := range 200 {
		id, y := 1000+k, rng.IntN(2)
		given := names[y]
		if k%10 == 3 {
			given = names[1-y]
		}
		said := annotation(given, `"completed_by":{"id":3,"email":"a@b.c"},`)
		switch k {
		case 1:
			said = annotation(names[1-y], `"completed_by":4,`) + ",\n" + said + "," +
				annotation(names[1-y], `"was_cancelled":true,`)
		case 2:
			said = ""
		}
		extra := ""
		if k%4 == 0 {
			extra = `, "predictions":[ {"id":1} ]`
		}
		tasks = append(tasks, fmt.Sprintf("{\"id\": %d ,\"data\":{\"text\":\"t\\u00e9xt %d\", "+
			"\"id\":5},\t\"annotations\":[%s],\"meta\":{\"z\":1.50,\"a\":null}%s}", id, k, said, extra))
		if k == 2 {
			continue
		}
		row := []float32{.1, .1}
		row[y] = .9
		p = append(p, row...)
	}
	path, probabilities = filepath.Join(dir, "project.json"), filepath.Join(dir, "p.npy")
	write(t, path, []byte("\n[ "+strings.Join(tasks, " ,\n\n")+"\t]\n"))
	writeNPY(t, probabilities, p, 2)
	return path, probabilities
}

// A Label Studio export is audited and written back with predictions and the annotations decided
// in a review, and unchanged to the byte elsewhere.
func TestExportLabelStudio(t *testing.T) {
	dir := t.TempDir()
	path, probabilities := project(t, dir)
	run := programIn(t, dir)
	run(app.ExitDone, "audit", path, "--text", "text", "--probabilities", probabilities, "--out", "audit", "--quiet")
	given := expect.Got(os.ReadFile(path))(t)
	read := func(name string) string { return string(read(t, dir, name)) }
	run(app.ExitDone, "export", "audit", "same.json", "--decisions-only")
	if read("same.json") != string(given) {
		t.Error("an export without decisions differs from what was read")
	}

	expect.Says(t, run(app.ExitDone, "export", "audit", "all.json").out.String(),
		"all.json: 200 tasks, 199 predictions, 0 corrected annotations")
	for k, task := range gjson.Parse(read("all.json")).Array() {
		predictions := task.Get("predictions").Array()
		want := 1
		if k%4 == 0 {
			want = 2
		}
		if k == 2 {
			want = 0
		}
		if n := len(predictions); n > 0 && (predictions[n-1].Get("score").Float() < .5) != (k%10 == 3) {
			t.Errorf("task %d: %s", k, predictions[n-1].Raw)
		}
		if len(predictions) != want || task.Get("meta").Raw != `{"z":1.50,"a":null}` {
			t.Fatalf("task %d: %d predictions, want %d: %s", k, len(predictions), want, task.Raw)
		}
	}

	first := gjson.GetBytes(given, "3.annotations.0.result.0.value.choices.0").String()
	other := "cat"
	if first == other {
		other = `døg "x"`
	}
	audittest.Decide(t, audit.At(filepath.Join(dir, "audit")),
		audit.Decision{ID: "1003", Given: first, Label: other, Action: audit.Other})
	run(app.ExitDone, "export", "audit", "table.csv")
	if table := read("table.csv"); !strings.HasPrefix(table, "id,given,label_corrected,p_wrong\n") {
		t.Errorf("a table of the tasks begins with %.100q", table)
	}
	run(app.ExitDone, "export", "audit", "decided.json", "--decisions-only")
	decided := read("decided.json")
	if n := gjson.Get(decided, "3.annotations.#").Int(); n != 2 ||
		gjson.Get(decided, "3.annotations.1.result.0.value.choices.0").String() != other {
		t.Errorf("the task that was decided: %s", gjson.Get(decided, "3").Raw)
	}
	task, before := gjson.Get(decided, "3").Raw, gjson.GetBytes(given, "3").Raw
	if same := strings.Replace(decided, task, before, 1); same != string(given) {
		t.Error("more than the decided task has changed")
	}

	// A label that has changed since the audit keeps its class, whatever was decided about it.
	write(t, path, []byte(strings.Replace(string(given), before, strings.Replace(before, fmt.Sprintf("[%q]", first),
		fmt.Sprintf("[%q]", other), 1), 1)))
	late := run(app.ExitDone, "export", "audit", "late.json")
	expect.Says(t, late.out.String(), "200 tasks, 198 predictions, 0 corrected annotations\n  1 have another label")
}

type embeddedImage struct {
	Bytes []byte `parquet:"bytes,optional"`
	Path  string `parquet:"path,optional"`
}

type embeddedRow struct {
	Note  string        `parquet:"note"`
	Image embeddedImage `parquet:"image,optional"`
	Kind  int64         `parquet:"kind"`
}

// exportedRow is a row of an export.
type exportedRow struct {
	embeddedRow
	Corrected *int64   `parquet:"label_corrected,optional"`
	Wrong     *float64 `parquet:"p_wrong,optional"`
	Consensus *int64   `parquet:"label_consensus,optional"`
}

const ofDatasets = `{"info":{"features":{"note":{"dtype":"string","_type":"Value"},"image":{"_type":"Image"},"kind":{"names":["døg","cat"],"_type":"ClassLabel"}}}}`

// writeParquet writes rows like the library datasets, in several groups.
func writeParquet[T any](t *testing.T, path string, rows []T) {
	t.Helper()
	expect.OK(t, parquet.WriteFile(path, rows, parquet.KeyValueMetadata("huggingface", ofDatasets),
		parquet.MaxRowsPerRowGroup(70)))
}

// embeddedPhotos writes Parquet like the library datasets, with every tenth label wrong, and a good model's posteriors.
func embeddedPhotos(t *testing.T, dir string) (written []embeddedRow, truth []int64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 10))
	var p []float32
	for k := range 200 {
		y := rng.Int64N(2)
		given := y
		if k%10 == 3 {
			given = 1 - y
		}
		photo := datasettest.PNG(t, 6, 6, color.NRGBA{uint8(200 * y), uint8(k), 90, 255})
		written = append(written, embeddedRow{fmt.Sprintf("n,%d", k), embeddedImage{[]byte(photo), fmt.Sprintf("%d.png", k)},
			given})
		truth = append(truth, y)
		row := []float32{.05, .05}
		row[y] = .95
		p = append(p, row...)
	}
	writeParquet(t, filepath.Join(dir, "photos.parquet"), written)
	writeNPY(t, filepath.Join(dir, "p.npy"), p, 2)
	return written, truth
}

// Images in Parquet are audited by their class names, and written back with additional columns.
func TestExportParquet(t *testing.T) {
	dir := t.TempDir()
	written, truth := embeddedPhotos(t, dir)
	run := programIn(t, dir)
	exported := func(name string) []exportedRow {
		t.Helper()
		got := expect.Got(parquet.ReadFile[exportedRow](filepath.Join(dir, name)))(t)
		if len(got) != len(written) {
			t.Fatalf("%s: %d rows, want %d", name, len(got), len(written))
		}
		for k, row := range got {
			if w := written[k]; row.Note != w.Note || row.Kind != w.Kind || row.Image.Path != w.Image.Path ||
				!bytes.Equal(row.Image.Bytes, w.Image.Bytes) {
				t.Fatalf("%s: row %d is another one than before", name, k)
			}
		}
		return got
	}
	run(app.ExitDone, "audit", "photos.parquet", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	page := string(read(t, filepath.Join(dir, "audit", "report.html")))
	expect.Says(t, page, "<code>losscorr export audit corrected-photos.parquet</code>")
	expect.Says(t, page, "døg")

	// People's decisions keep one wrong label and make a right one wrong.
	names := []string{"døg", "cat"}
	audittest.Decide(t, audit.At(filepath.Join(dir, "audit")),
		audit.Decision{ID: "3", Given: names[1-truth[3]], Label: names[1-truth[3]], Action: audit.Accept},
		audit.Decision{ID: "0", Given: names[truth[0]], Label: names[1-truth[0]], Action: audit.Other})
	expect.Says(t, run(app.ExitDone, "export", "audit", "all.parquet", "--to", "parquet").out.String(),
		"all.parquet: 200 labels, 20 with another class, 1 of these by people")
	for k, row := range exported("all.parquet") {
		want := truth[k]
		if k == 0 || k == 3 {
			want = 1 - want
		}
		if row.Corrected == nil || *row.Corrected != want || row.Wrong == nil || (*row.Wrong > .5) != (k%10 == 3) ||
			row.Consensus != nil {
			t.Errorf("row %d: %v %v %v, want the class %d", k, row.Corrected, row.Wrong, row.Consensus, want)
		}
	}
	content := read(t, filepath.Join(dir, "all.parquet"))
	file := expect.Got(parquet.OpenFile(bytes.NewReader(content), int64(len(content))))(t)
	if said, _ := file.Lookup("huggingface"); gjson.Get(said, "info.features.label_corrected.names.0").String() != "døg" {
		t.Errorf("features %s", said)
	}
	written[5].Note = "new"
	expect.OK(t, parquet.WriteFile(filepath.Join(dir, "photos.parquet"), written))
	expect.Says(t, run(app.ExitData, "export", "audit", "late.parquet").err.String(),
		"photos.parquet has changed since the audit")
	absent(t, dir, "late.parquet")
}

// Answers about images in Parquet, by numbers or names of classes, give a column of their consensus.
func TestExportConsensus(t *testing.T) {
	dir := t.TempDir()
	_, truth := embeddedPhotos(t, dir)
	for kind, names := range map[string][]string{"numbers": {"0", "1"}, "names": {"døg", "cat"}} {
		var answers bytes.Buffer
		answers.WriteString("task,worker,label\n")
		for k, y := range truth {
			for person := range 4 {
				said := y
				if person == k%4 && k%3 == 0 {
					said = 1 - y
				}
				fmt.Fprintf(&answers, "%d,p%d,%s\n", k, person, names[said])
			}
		}
		write(t, filepath.Join(dir, kind+".csv"), answers.Bytes())
		call(t, dir, nil, "audit", "photos.parquet", "--answers", kind+".csv", "--probabilities",
			"p.npy", "--classes", strings.Join(names, ","), "--out", kind, "--quiet").ends(t, app.ExitDone)
		call(t, dir, nil, "export", kind, kind+".parquet").ends(t, app.ExitDone)
		got := expect.Got(parquet.ReadFile[exportedRow](filepath.Join(dir, kind+".parquet")))(t)
		for k, row := range got {
			if row.Consensus == nil || *row.Consensus != truth[k] || row.Corrected == nil {
				t.Errorf("%s, row %d: consensus %v, corrected %v, want the class %d", kind, k, row.Consensus, row.Corrected,
					truth[k])
			}
		}
	}
}

// A folder of Parquet files, of training and test examples, becomes a new folder with the same names.
func TestExportShards(t *testing.T) {
	dir := t.TempDir()
	written, truth := embeddedPhotos(t, dir)
	data := filepath.Join(dir, "hub", "data")
	makeFolder(t, data)
	parts := map[string][]embeddedRow{"train-00000-of-00002": written[:90], "train-00001-of-00002": written[90:],
		"test-00000-of-00001": written[:7]}
	for name, part := range parts {
		writeParquet(t, filepath.Join(data, name+".parquet"), part)
	}
	run := programIn(t, dir)
	run(app.ExitDone, "audit", "hub", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	expect.Says(t, string(read(t, filepath.Join(dir, "audit", "report.html"))),
		"<code>losscorr export audit corrected-hub</code>")
	expect.Says(t, run(app.ExitDone, "export", "audit", "new").out.String(),
		"new: 207 labels, 20 with another class, 0 of these by people")
	first := map[string]int{"train-00001-of-00002": 90}
	for name, part := range parts {
		got, err := parquet.ReadFile[exportedRow](filepath.Join(dir, "new", "data", name+".parquet"))
		if err != nil || len(got) != len(part) {
			t.Fatalf("%s: %d rows, want %d: %v", name, len(got), len(part), err)
		}
		test := strings.HasPrefix(name, "test")
		for k, row := range got {
			if test != (row.Corrected == nil) || test != (row.Wrong == nil) {
				t.Fatalf("%s: row %d has %v and %v", name, k, row.Corrected, row.Wrong)
			}
			if want := truth[first[name]+k]; !test && *row.Corrected != want || row.Note != part[k].Note {
				t.Errorf("%s: row %d of %q is %v, want the class %d of %q", name, k, row.Note, row.Corrected, want, part[k].Note)
			}
		}
	}
	expect.Says(t, run(app.ExitFailed, "export", "audit", "new").err.String(), "new exists")
	parts["train-00001-of-00002"][0].Note = "changed"
	writeParquet(t, filepath.Join(data, "train-00001-of-00002.parquet"), written[90:])
	expect.Says(t, run(app.ExitData, "export", "audit", "late").err.String(), "hub has changed since the audit")
}
