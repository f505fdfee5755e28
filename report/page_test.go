package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/results/paper"
	"github.com/losscorr/losscorr/store"
)

// folders writes the runs of block as a grid would leave them, with one run that
// diverged, one that failed and one that was cut short.
func folders(t *testing.T, change func(*store.Result)) string {
	t.Helper()
	root := t.TempDir()
	for k, r := range block() {
		r.Seconds = 36
		if r.Config.Loss == "forward-estimated" {
			r.Transition = demoMatrices()
			r.Warnings = []string{"the diagonal of the estimate is below 0.5 for 5 (0.20)"}
		}
		if k == 0 {
			r.State = store.Diverged
		}
		if change != nil {
			change(&r)
		}
		metrics := "{\"epoch\":1,\"train_loss\":\"NaN\",\"test_accuracy\":50}\n"
		for e := 2; e <= 100; e++ {
			metrics += fmt.Sprintf("{\"epoch\":%d,\"train_loss\":%g,\"val_accuracy\":60,\"test_accuracy\":%g}\n", e, 1/float64(e), 50+float64(e)/3)
		}
		dir := filepath.Join(root, fmt.Sprintf("%012d", k))
		putJSON(t, filepath.Join(dir, "result.json"), r)
		put(t, filepath.Join(dir, "metrics.jsonl"), metrics)
		put(t, filepath.Join(dir, "overrides.txt"), "data=\"elsewhere\"\nseed=[0, 1, 2]\nbatch_size=64\n")
		env := store.Environment{Schema: 1, Program: "1.2.3", Libtorch: map[string]string{"version": "2.11.0"}}
		env.CPU.Model = "Test <CPU>"
		putJSON(t, filepath.Join(dir, "env.json"), env)
	}
	putJSON(t, filepath.Join(root, "f00000000001", "status.json"), store.Status{Schema: 1, State: store.Failed, Epoch: 3, Epochs: 40, Error: "no space <left>", Log: []string{"epoch 3: <b>"}})
	putJSON(t, filepath.Join(root, "f00000000002", "status.json"), store.Status{Schema: 1, State: store.Stopped, Epoch: 7, Epochs: 40, Seconds: 3600})
	return root
}

func putJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(text))
}

func pageOf(t *testing.T, root string) string {
	t.Helper()
	var s Scanner
	study, err := s.Scan(root)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WritePage(&b, study, PageOptions{Program: "losscorr test", Command: "losscorr report"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	root := folders(t, nil)
	page := pageOf(t, root)
	for _, want := range []string{
		"<dt>runs</dt><dd>17</dd>", "<dt>done</dt><dd>14</dd>", "<dt>diverged</dt><dd>1</dd>", "<dt>failed</dt><dd>1</dd>", "<dt>stopped</dt><dd>1</dd>",
		"<dt>device-hours</dt><dd>1.1</dd>", // 15 runs of 36 s and an hour
		"<dt>finished</dt><dd>2026-01-02</dd>", "<dt>program</dt><dd>1.2.3</dd>", "<dt>libtorch</dt><dd>2.11.0</dd>", "Test &lt;CPU&gt;",
		`<td class="first" title="3 seeds"><strong>97.3 ± 0.1</strong><span class="sign" title="best, and knows the true T">★</span></td>`,
		`<td class="paper"><strong>97.3 ± 0.0</strong><span class="sign" title="best, and knows the true T">★</span></td>`,
		`<td class="diff far">&#43;1.1</td>`, // forward-estimated, 66 of 64.9
		"make mnist PRESET=code SEEDS=0-2 NOISE=none,asymmetric:.6 LOSS=cross-entropy,forward,forward-estimated ARGS=&#39;batch_size=64&#39;",
		"seed 0-2: the diagonal of the estimate is below 0.5 for 5 (0.20)",
		"over 3 seeds 0.120 ± 0.000", "1 of 3 runs diverged", "no space &lt;left&gt;", "epoch 7 of 40", "<pre>epoch 3: &lt;b&gt;\n</pre>",
		"Accuracy against N, asymmetric noise", "training loss", "accuracy on noisy validation labels", "test accuracy, on true labels", "Table 2 of the paper: 5 of 240 cells",
		`<tr class="total"><th scope="row">all</th><td>15</td><td>36.0 s</td><td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if again := pageOf(t, root); again != page {
		t.Error("the same runs gave another page")
	}
	for _, no := range []string{"<script", "<link rel=\"stylesheet", "@import", "url(", "src="} {
		if strings.Contains(page, no) {
			t.Errorf("%q, where the page has to stand alone", no)
		}
	}
	if found := regexp.MustCompile(`href="[^#d][^"]*"`).FindString(page); found != "" {
		t.Errorf("a way out of the page: %s", found)
	}
	drawings := regexp.MustCompile(`(?s)<svg class="(?:chart|swatch).*?</svg>(?:\n</g></svg>)?`).FindAllString(page, -1)
	if len(drawings) < 8 {
		t.Fatalf("%d drawings", len(drawings))
	}
	for _, d := range drawings {
		wellFormed(t, d)
		if strings.Contains(d, "NaN") || strings.Contains(d, "Inf") {
			t.Errorf("no number in %.300s", d)
		}
	}
}

// The lines of many seeds are drawn fainter than those of a few, so that the
// means stand out.
func TestPageOfManySeeds(t *testing.T) {
	for _, test := range []struct {
		seeds int
		want  string
	}{{1, ""}, {2, `class="seed k`}, {crowd, `class="seed k`}, {crowd + 1, `class="seed many k`}} {
		rows := []rowRuns{{row: Row{Loss: "forward", Name: "forward"}}}
		for range test.seeds {
			rows[0].runs = append(rows[0].runs, course(1, 5, 50, 90, 1))
		}
		for _, drawing := range learningCurves(&Table{Rows: []Row{rows[0].row}}, "", rows) {
			if got := strings.Contains(string(drawing), `class="seed`); got != (test.want != "") || !strings.Contains(string(drawing), test.want) {
				t.Errorf("%d seeds: no %s in %s", test.seeds, test.want, drawing)
			}
		}
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %.200s", err, text)
		}
	}
}

// What a user's configuration holds is text, whatever it looks like.
func TestPageEscapes(t *testing.T) {
	evil := `<script>alert("x")</script>`
	page := pageOf(t, folders(t, func(r *store.Result) {
		r.Config.Dataset, r.Config.Noise.File, r.DataVariant = evil, evil, evil
		if r.Config.Noise.Kind != "none" {
			r.Config.Noise.Kind = "matrix"
		}
		r.Warnings = []string{evil}
		if r.Transition != nil {
			r.Transition.Classes[0] = evil
		}
	}))
	if strings.Contains(page, "<script") {
		t.Error("a name became a part of the page")
	}
	if !strings.Contains(page, "&lt;script&gt;") {
		t.Error("the name is not shown")
	}
}

func TestPageOfNothing(t *testing.T) {
	if page := pageOf(t, t.TempDir()); !strings.Contains(page, "No run has finished yet.") {
		t.Errorf("page %s", page)
	}
}

// A scan reads what has changed and keeps the rest.
func TestScanAgain(t *testing.T) {
	root := folders(t, nil)
	var s Scanner
	first, err := s.Scan(root)
	if err != nil {
		t.Fatal(err)
	}
	putJSON(t, filepath.Join(root, "f00000000002", "status.json"), store.Status{Schema: 1, State: store.Running, Epoch: 12, Epochs: 40})
	put(t, filepath.Join(root, "f00000000002", "lease.1"), "{\"host\":\"elsewhere\",\"pid\":7}\n000000000001\n")
	if err := os.RemoveAll(filepath.Join(root, "f00000000001")); err != nil {
		t.Fatal(err)
	}
	second, err := s.Scan(root)
	if err != nil || len(second.Records) != len(first.Records)-1 {
		t.Fatalf("%d records after %d, %v", len(second.Records), len(first.Records), err)
	}
	same := 0
	for k, r := range second.Records {
		if r == first.Records[k] {
			same++
		}
	}
	if last := second.Records[len(second.Records)-1]; same != 15 || last.Status.Epoch != 12 || last.State() != store.Running {
		t.Errorf("%d records kept, want the 15 finished; the last is at epoch %d", same, last.Status.Epoch)
	}
}

func TestStyleSheetHasEveryClass(t *testing.T) {
	for k := range markShapes {
		for _, want := range []string{fmt.Sprintf(".k%d { --c: var(--", k), fmt.Sprintf(".show-k%d:not(:checked)) .chart .k%d,", k, k)} {
			if !strings.Contains(strings.ReplaceAll(pageCSS, " {", ","), strings.ReplaceAll(want, " {", ",")) {
				t.Errorf("the style sheet lacks %s", want)
			}
		}
	}
	colours := regexp.MustCompile(`--[a-z-]+:`)
	light, dark, _ := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	dark, _, _ = strings.Cut(dark, "}")
	if a, b := fmt.Sprint(colours.FindAllString(light, -1)), fmt.Sprint(colours.FindAllString(dark, -1)); a != b {
		t.Errorf("colours %s, in the dark %s", a, b)
	}
}

// BenchmarkPage reads the folders of 2,000 runs of 40 epochs and writes their
// page.
func BenchmarkPage(b *testing.B) {
	root := b.TempDir()
	losses, epochs := paper.Losses(), course(1, 40, 50, 90, 1)
	var metrics strings.Builder
	for _, e := range epochs {
		line, err := json.Marshal(e)
		if err != nil {
			b.Fatal(err)
		}
		metrics.WriteString(string(line) + "\n")
	}
	for k := range 2000 {
		r := result(losses[k%10], "asymmetric", float64(k/10%4)/10, uint64(k/40), 90, 89)
		r.ID, r.Transition = fmt.Sprintf("%012x", k), demoMatrices()
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			b.Fatal(err)
		}
		dir := filepath.Join(root, r.ID)
		for name, content := range map[string]string{"result.json": string(text), "metrics.jsonl": metrics.String()} {
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		var s Scanner
		study, err := s.Scan(root)
		if err == nil {
			err = WritePage(io.Discard, study, PageOptions{})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
