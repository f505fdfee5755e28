package command

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/npy"
)

// records are Argilla's with odd white space, two questions and three people, of whom the last one is wrong in
// every tenth record; and the posteriors of a good model. Record r2 has no response, r4 a suggestion of another agent,
// r6 neither suggestions nor metadata.
func records(t *testing.T, dir string) (path, probabilities string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	names := []string{"cat", "døg \"x\""}
	var list []string
	var p []float32
	for k := range 200 {
		y := rng.IntN(2)
		given := y
		if k%10 == 3 {
			given = 1 - y
		}
		said := fmt.Sprintf(`{"the.kind": [{"value":%q,"user_id":"ann"},{"user_id":"bob","value":%q}, {"value":%q,"user_id":"cy"},{"value":%q,"user_id":"dee","status":"discarded"}], "quality":[{"value":3,"user_id":"bob"}]}`,
			names[y], names[y], names[given], names[1-given])
		rest := `,"suggestions": {},  "metadata":{"z":1.50}`
		switch k {
		case 2:
			said = "{}"
		case 4:
			rest = `,"suggestions":{"quality":{"value":1,"score":null,"agent":"m"}, "the.kind":{"value":"cat","score":0.5,"agent":"m"}}`
		case 6:
			rest = `,"suggestions":null`
		}
		list = append(list, fmt.Sprintf("{\"id\": \"r%d\" ,\"fields\":{\"text\":\"t\\u00e9xt %d\"},\t\"responses\":%s%s,\"vectors\":{\"v\":[1e0, 2]}}", k, k, said, rest))
		if k != 2 {
			row := []float32{.1, .1}
			row[y] = .9
			p = append(p, row...)
		}
	}
	path, probabilities = filepath.Join(dir, "records.json"), filepath.Join(dir, "p.npy")
	write(t, path, []byte("\n[ "+strings.Join(list, " ,\n\n")+"\t]\n"))
	if err := npy.WriteFloat32(probabilities, p, 2); err != nil {
		t.Fatal(err)
	}
	return path, probabilities
}

// Argilla's records are audited by the last person's answers to a question and written back: byte for byte without
// decisions, else with suggestions.
func TestExportArgilla(t *testing.T) {
	dir := t.TempDir()
	path, probabilities := records(t, dir)
	program := programIn(t, dir)
	run := func(args ...string) string { return program(app.ExitDone, args...).out.String() }
	run("audit", path, "--text", "text", "--label", "the.kind", "--probabilities", probabilities, "--out", "audit", "--quiet")
	given := string(read(t, path))
	run("export", "audit", "same.json", "--decisions-only", "--to", "argilla")
	if string(read(t, filepath.Join(dir, "same.json"))) != given {
		t.Error("an export without decisions differs from what was read")
	}

	label := func(k int) string { return gjson.Get(given, fmt.Sprintf(`%d.responses.the\.kind.2.value`, k)).String() }
	other := map[string]string{"cat": `døg "x"`, `døg "x"`: "cat"}
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	write(t, filepath.Join(dir, "audit", "decisions.csv"), fmt.Appendf(nil, "id,given,label,decision,time\nr0,%s,%s,other,2026-01-01T00:00:00Z\nr3,%[3]s,%[3]s,accept,2026-01-01T00:00:00Z\n",
		quoted(label(0)), quoted(other[label(0)]), quoted(label(3))))
	contains(t, "stdout", run("export", "audit", "all.json"), "all.json: 200 records, 198 suggestions, 1 correction")
	before := gjson.Parse(given).Array()
	for k, record := range gjson.ParseBytes(read(t, filepath.Join(dir, "all.json"))).Array() {
		s := record.Get(`suggestions.the\.kind`)
		switch want := before[k].Get(`responses.the\.kind.0.value`).String(); {
		case k == 2:
			if record.Raw != before[k].Raw {
				t.Errorf("without a response: %s", record.Raw)
			}
		case k == 0:
			if s.Get("value").String() != other[label(0)] || s.Get("score").Raw != "1" || s.Get("type").String() != "human" {
				t.Errorf("decided: %s", s.Raw)
			}
		case s.Get("value").String() != want || (s.Get("score").Float() < .5) != (k%10 == 3) || !strings.HasPrefix(s.Get("agent").String(), "losscorr ") || s.Get("type").String() != "model":
			t.Errorf("record %d: %s, want %s", k, s.Raw, want)
		}
		if k == 4 && record.Get("suggestions.quality.agent").String() != "m" {
			t.Errorf("the other question's suggestion: %s", record.Raw)
		}
		for _, key := range []string{"fields", "responses", "vectors", "metadata"} {
			if record.Get(key).Raw != before[k].Get(key).Raw {
				t.Errorf("record %d: %s has changed", k, key)
			}
		}
	}
	run("export", "audit", "decided.json", "--decisions-only")
	decided := string(read(t, filepath.Join(dir, "decided.json")))
	if same := strings.Replace(decided, gjson.Get(decided, "0").Raw, before[0].Raw, 1); same != given || same == decided {
		t.Error("another record than the decided one has changed")
	}
}

// The responses of all people are answers, whose consensus is suggested where the last person is wrong.
func TestArgillaAnswers(t *testing.T) {
	dir := t.TempDir()
	path, probabilities := records(t, dir)
	program := programIn(t, dir)
	run := func(args ...string) string { return program(app.ExitDone, args...).out.String() }
	run("audit", path, "--text", "text", "--answers", path, "--answer", "the.kind", "--probabilities", probabilities, "--out", "people", "--quiet")
	people := string(read(t, filepath.Join(dir, "people", "annotators.csv")))
	for _, name := range []string{"ann", "bob", "cy"} {
		contains(t, "annotators.csv", people, "\n"+name+",199,")
	}
	if strings.Contains(people, "dee,") {
		t.Error("discarded responses count")
	}
	run("export", "people", "all.json")
	before := gjson.Parse(string(read(t, path))).Array()
	for k, record := range gjson.ParseBytes(read(t, filepath.Join(dir, "all.json"))).Array() {
		if want := before[k].Get(`responses.the\.kind.0.value`).String(); k != 2 && record.Get(`suggestions.the\.kind.value`).String() != want {
			t.Errorf("record %d: %s, want %s", k, record.Get("suggestions").Raw, want)
		}
	}
}
