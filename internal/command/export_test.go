package command

import (
	"fmt"
	"image/color"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/npy"
)

// project is an export of Label Studio with odd white space, escapes, numbers and unknown keys, in
// which every tenth label is wrong, and the posteriors of a good model. Task 1001 has an older
// annotation and a cancelled one, task 1002 is not labelled, and each fourth has a prediction.
func project(t *testing.T, dir string) (path, probabilities string, wrong []string) {
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
			wrong = append(wrong, fmt.Sprint(id))
		}
		said := annotation(given, `"completed_by":{"id":3,"email":"a@b.c"},`)
		switch k {
		case 1:
			said = annotation(names[1-y], `"completed_by":4,`) + ",\n" + said + "," + annotation(names[1-y], `"was_cancelled":true,`)
		case 2:
			said = ""
		}
		extra := ""
		if k%4 == 0 {
			extra = `, "predictions":[ {"id":1} ]`
		}
		tasks = append(tasks, fmt.Sprintf("{\"id\": %d ,\"data\":{\"text\":\"t\\u00e9xt %d\", \"id\":5},\t\"annotations\":[%s],\"meta\":{\"z\":1.50,\"a\":null}%s}", id, k, said, extra))
		if k == 2 {
			continue
		}
		row := []float32{.1, .1}
		row[y] = .9
		p = append(p, row...)
	}
	path, probabilities = filepath.Join(dir, "project.json"), filepath.Join(dir, "p.npy")
	write(t, path, []byte("\n[ "+strings.Join(tasks, " ,\n\n")+"\t]\n"))
	if err := npy.WriteFloat32(probabilities, p, 2); err != nil {
		t.Fatal(err)
	}
	return path, probabilities, wrong
}

// A Label Studio export is audited and written back: byte for byte where nothing is added,
// otherwise with predictions and the annotations that a review decided.
func TestExportLabelStudio(t *testing.T) {
	dir := t.TempDir()
	path, probabilities, wrong := project(t, dir)
	run := programIn(t, dir)
	run(app.ExitDone, "audit", path, "--text", "text", "--probabilities", probabilities, "--out", "audit", "--quiet")
	given, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run(app.ExitDone, "export", "audit", "same.json", "--decisions-only")
	if read("same.json") != string(given) {
		t.Error("an export without decisions differs from what was read")
	}

	contains(t, "stdout", run(app.ExitDone, "export", "audit", "all.json").out.String(), "all.json: 200 tasks, 199 predictions, 0 corrected annotations")
	var worst []string
	tasks := gjson.Parse(read("all.json")).Array()
	slices.SortStableFunc(tasks, func(a, b gjson.Result) int {
		return int(1e6 * (score(a) - score(b)))
	})
	for _, task := range tasks[:len(wrong)] {
		worst = append(worst, task.Get("id").String())
	}
	slices.Sort(worst)
	if !slices.Equal(worst, wrong) {
		t.Errorf("the lowest scores are of %v, want %v", worst, wrong)
	}
	for k, task := range gjson.Parse(read("all.json")).Array() {
		predictions := task.Get("predictions").Array()
		want := 1
		if k%4 == 0 {
			want = 2
		}
		if k == 2 {
			want = 0
		}
		if len(predictions) != want || task.Get("meta").Raw != `{"z":1.50,"a":null}` {
			t.Errorf("task %d: %d predictions, want %d: %s", k, len(predictions), want, task.Raw)
		}
		if k == 3 {
			last := predictions[0].Get("result.0")
			if last.Get("from_name").String() != "kind" || last.Get("to_name").String() != "txt" || last.Get("value.choices.0").String() == task.Get("annotations.0.result.0.value.choices.0").String() {
				t.Errorf("task 1003: %s", predictions[0].Raw)
			}
		}
	}

	first := gjson.GetBytes(given, "3.annotations.0.result.0.value.choices.0").String()
	other := "cat"
	if first == other {
		other = `døg "x"`
	}
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	write(t, filepath.Join(dir, "audit", "decisions.csv"), []byte(fmt.Sprintf("id,given,label,decision,time\n1003,%s,%s,other,2026-01-01T00:00:00Z\n", quoted(first), quoted(other))))
	run(app.ExitDone, "export", "audit", "decided.json", "--decisions-only")
	decided := read("decided.json")
	if n := gjson.Get(decided, "3.annotations.#").Int(); n != 2 || gjson.Get(decided, "3.annotations.1.result.0.value.choices.0").String() != other {
		t.Errorf("the task that was decided: %s", gjson.Get(decided, "3").Raw)
	}
	task, before := gjson.Get(decided, "3").Raw, gjson.GetBytes(given, "3").Raw
	if same := strings.Replace(decided, task, before, 1); same != string(given) {
		t.Error("more than the decided task has changed")
	}

	for want, tt := range map[string]struct {
		code int
		args []string
	}{
		"all.json exists":             {app.ExitFailed, []string{"export", "audit", "all.json"}},
		`--to "cocoa" is not one of`:  {app.ExitUsage, []string{"export", "audit", "x.json", "--to", "cocoa"}},
		"is of the form label-studio": {app.ExitUsage, []string{"export", "audit", "x.json", "--to", "coco"}},
		"want the folder of an AUDIT": {app.ExitUsage, []string{"export", "audit"}},
	} {
		contains(t, "stderr", run(tt.code, tt.args...).err.String(), want)
	}
	// A label that has changed since the audit is left alone, and so is what was decided about it.
	write(t, path, []byte(strings.Replace(string(given), before, strings.Replace(before, fmt.Sprintf("[%q]", first), fmt.Sprintf("[%q]", other), 1), 1)))
	late := run(app.ExitDone, "export", "audit", "late.json")
	contains(t, "stdout", late.out.String(), "200 tasks, 198 predictions, 0 corrected annotations\n  1 have another label")
}

// The boxes of COCO annotations are audited and written back: byte for byte where nothing is
// decided, otherwise with the classes that the audit, and a review before it, have corrected.
func TestExportCOCO(t *testing.T) {
	dir := t.TempDir()
	run := programIn(t, dir)
	rng := rand.New(rand.NewPCG(7, 8))
	var annotations []string
	var p []float32
	truth := map[string]int{}
	for k := range 200 {
		y := rng.IntN(2)
		given := y
		if k%10 == 3 {
			given = 1 - y
		}
		truth[fmt.Sprint(k)] = y
		annotations = append(annotations, fmt.Sprintf(`{"id":%d,"bbox" : [%d,1.50,3,3],"image_id":9, "category_id":%d,"score":1e0}`, k, k%12, 5*given))
	}
	write(t, filepath.Join(dir, "x.png"), []byte(datasettest.PNG(t, 20, 9, color.White)))
	given := `{"images":[{"id":9,"file_name":"x.png"}],` + "\n \"annotations\":[" + strings.Join(annotations, ",\n") + `],"categories":[{"id":0,"name":"cat"},{"id":5,"name":"dog"}]}`
	write(t, filepath.Join(dir, "boxes.json"), []byte(given))
	names := slices.Sorted(maps.Keys(truth)) // as the examples are: x.png#0, x.png#1, x.png#10
	for _, name := range names {
		row := []float32{.05, .05}
		row[truth[name]] = .95
		p = append(p, row...)
	}
	if err := npy.WriteFloat32(filepath.Join(dir, "p.npy"), p, 2); err != nil {
		t.Fatal(err)
	}
	run(app.ExitDone, "audit", "boxes.json", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run(app.ExitDone, "export", "audit", "same.json", "--decisions-only", "--to", "coco")
	if read("same.json") != given {
		t.Error("an export without decisions differs from what was read")
	}
	contains(t, "the page", read("audit/report.html"), "<code>losscorr export audit corrected-boxes.json</code>")
	// One label that the audit would change stays, and one becomes another, since people say so.
	write(t, filepath.Join(dir, "audit", "decisions.csv"), []byte(fmt.Sprintf("id,given,label,decision,time\nx.png#3,%[1]s,%[1]s,accept,2026-01-01T00:00:00Z\nx.png#0,%[2]s,%[3]s,other,2026-01-01T00:00:00Z\n",
		class(1-truth["3"]), class(truth["0"]), class(1-truth["0"]))))
	contains(t, "stdout", run(app.ExitDone, "export", "audit", "out.json").out.String(), "out.json: 200 labels, 20 with another class, 1 of these by people")
	wanted := gjson.Parse(given).Get("annotations").Array()
	for k, a := range gjson.Get(read("out.json"), "annotations").Array() {
		want := truth[a.Get("id").String()]
		if k == 3 || k == 0 {
			want = 1 - want
		}
		if before := wanted[k].Raw; a.Get("category_id").Int() != int64(5*want) || len(a.Raw) != len(before) {
			t.Errorf("%s, before %s", a.Raw, before)
		}
	}
}

func class(k int) string { return []string{"cat", "dog"}[k] }

// score is what the last prediction of a task has; those without come last.
func score(task gjson.Result) float64 {
	predictions := task.Get("predictions").Array()
	if len(predictions) == 0 || !predictions[len(predictions)-1].Get("score").Exists() {
		return 2
	}
	return predictions[len(predictions)-1].Get("score").Float()
}
