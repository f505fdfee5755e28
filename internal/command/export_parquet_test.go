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

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/npy"
)

type embeddedImage struct {
	Bytes []byte `parquet:"bytes,optional"`
	Path  string `parquet:"path,optional"`
}

type embeddedRow struct {
	Note  string        `parquet:"note"`
	Image embeddedImage `parquet:"image,optional"`
	Kind  int64         `parquet:"kind"`
}

// exportedRow is a row of what an export writes.
type exportedRow struct {
	embeddedRow
	Corrected *int64   `parquet:"label_corrected,optional"`
	Wrong     *float64 `parquet:"p_wrong,optional"`
	Consensus *int64   `parquet:"label_consensus,optional"`
}

const ofDatasets = `{"info":{"features":{"note":{"dtype":"string","_type":"Value"},"image":{"_type":"Image"},"kind":{"names":["døg","cat"],"_type":"ClassLabel"}}}}`

// embeddedPhotos writes Parquet as datasets does, and the posteriors of a good model. Every tenth label is wrong.
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
		written = append(written, embeddedRow{fmt.Sprintf("n,%d", k), embeddedImage{[]byte(photo), fmt.Sprintf("%d.png", k)}, given})
		truth = append(truth, y)
		row := []float32{.05, .05}
		row[y] = .95
		p = append(p, row...)
	}
	if err := parquet.WriteFile(filepath.Join(dir, "photos.parquet"), written, parquet.KeyValueMetadata("huggingface", ofDatasets), parquet.MaxRowsPerRowGroup(70)); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteFloat32(filepath.Join(dir, "p.npy"), p, 2); err != nil {
		t.Fatal(err)
	}
	return written, truth
}

// Images in Parquet are audited by the names of their classes, and written back with further columns.
func TestExportParquet(t *testing.T) {
	dir := t.TempDir()
	written, truth := embeddedPhotos(t, dir)
	run := programIn(t, dir)
	exported := func(name string) []exportedRow {
		t.Helper()
		got, err := parquet.ReadFile[exportedRow](filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(written) {
			t.Fatalf("%s: %d rows, want %d", name, len(got), len(written))
		}
		for k, row := range got {
			if w := written[k]; row.Note != w.Note || row.Kind != w.Kind || row.Image.Path != w.Image.Path || !bytes.Equal(row.Image.Bytes, w.Image.Bytes) {
				t.Fatalf("%s: row %d is another one than before", name, k)
			}
		}
		return got
	}
	run(app.ExitDone, "audit", "photos.parquet", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	page := string(read(t, filepath.Join(dir, "audit", "report.html")))
	contains(t, "the page", page, "<code>losscorr export audit corrected-photos.parquet</code>")
	contains(t, "the page", page, "døg")

	// One wrong label stays and one right one becomes wrong, since people say so.
	names := []string{"døg", "cat"}
	write(t, filepath.Join(dir, "audit", "decisions.csv"), []byte(fmt.Sprintf("id,given,label,decision,time\n3,%[1]s,%[1]s,accept,2026-01-01T00:00:00Z\n0,%[2]s,%[3]s,other,2026-01-01T00:00:00Z\n",
		names[1-truth[3]], names[truth[0]], names[1-truth[0]])))
	contains(t, "stdout", run(app.ExitDone, "export", "audit", "all.parquet", "--to", "parquet").out.String(), "all.parquet: 200 labels, 20 with another class, 1 of these by people")
	for k, row := range exported("all.parquet") {
		want := truth[k]
		if k == 0 || k == 3 {
			want = 1 - want
		}
		if row.Corrected == nil || *row.Corrected != want || row.Wrong == nil || (*row.Wrong > .5) != (k%10 == 3) || row.Consensus != nil {
			t.Errorf("row %d: %v %v %v, want the class %d", k, row.Corrected, row.Wrong, row.Consensus, want)
		}
	}
	content := read(t, filepath.Join(dir, "all.parquet"))
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := file.Lookup("huggingface"); gjson.Get(said, "info.features.label_corrected.names.0").String() != "døg" {
		t.Errorf("features %s", said)
	}
	run(app.ExitDone, "export", "audit", "decided.parquet", "--decisions-only")
	for k, row := range exported("decided.parquet") {
		want := written[k].Kind
		if k == 0 {
			want = 1 - want
		}
		if row.Corrected == nil || *row.Corrected != want || row.Wrong != nil {
			t.Errorf("decisions only, row %d: %v %v, want the class %d", k, row.Corrected, row.Wrong, want)
		}
	}
	for want, out := range map[string]string{"all.parquet exists": "all.parquet", "choose a name that ends in .parquet": "all.csv"} {
		contains(t, "stderr", run(app.ExitFailed, "export", "audit", out).err.String(), want)
	}
	contains(t, "stderr", run(app.ExitData, "audit", "all.parquet", "--probabilities", "p.npy", "--out", "again").err.String(), `no column "label"`)
	written[5].Note = "new"
	if err := parquet.WriteFile(filepath.Join(dir, "photos.parquet"), written); err != nil {
		t.Fatal(err)
	}
	contains(t, "stderr", run(app.ExitData, "export", "audit", "late.parquet").err.String(), "photos.parquet has changed since the audit")
	if _, err := os.Stat(filepath.Join(dir, "late.parquet")); err == nil {
		t.Error("an export of changed data has written a file")
	}
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
		startProgram(t, "losscorr-real", dir, nil, "audit", "photos.parquet", "--answers", kind+".csv", "--probabilities", "p.npy", "--classes", strings.Join(names, ","), "--out", kind, "--quiet").ends(t, app.ExitDone)
		startProgram(t, "losscorr-real", dir, nil, "export", kind, kind+".parquet").ends(t, app.ExitDone)
		got, err := parquet.ReadFile[exportedRow](filepath.Join(dir, kind+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range got {
			if row.Consensus == nil || *row.Consensus != truth[k] || row.Corrected == nil {
				t.Errorf("%s, row %d: consensus %v, corrected %v, want the class %d", kind, k, row.Consensus, row.Corrected, truth[k])
			}
		}
	}
}

// A folder of files of Parquet, of training and of test examples, becomes a new folder with the same names.
func TestExportShards(t *testing.T) {
	dir := t.TempDir()
	written, truth := embeddedPhotos(t, dir)
	data := filepath.Join(dir, "hub", "data")
	if err := os.MkdirAll(data, 0o777); err != nil {
		t.Fatal(err)
	}
	parts := map[string][]embeddedRow{"train-00000-of-00002": written[:90], "train-00001-of-00002": written[90:], "test-00000-of-00001": written[:7]}
	for name, part := range parts {
		if err := parquet.WriteFile(filepath.Join(data, name+".parquet"), part, parquet.KeyValueMetadata("huggingface", ofDatasets)); err != nil {
			t.Fatal(err)
		}
	}
	run := programIn(t, dir)
	run(app.ExitDone, "audit", "hub", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	contains(t, "the page", string(read(t, filepath.Join(dir, "audit", "report.html"))), "<code>losscorr export audit corrected-hub</code>")
	contains(t, "stdout", run(app.ExitDone, "export", "audit", "new").out.String(), "new: 207 labels, 20 with another class, 0 of these by people")
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
	contains(t, "stderr", run(app.ExitFailed, "export", "audit", "new").err.String(), "new exists")
	// A file that cannot be extended leaves nothing behind.
	done := filepath.Join(dir, "hub", "data", "test-00000-of-00001.parquet")
	if err := parquet.WriteFile(done, []exportedRow{{embeddedRow: written[0]}}, parquet.KeyValueMetadata("huggingface", ofDatasets)); err != nil {
		t.Fatal(err)
	}
	run(app.ExitDone, "audit", "hub", "--probabilities", "p.npy", "--out", "audit", "--quiet")
	contains(t, "stderr", run(app.ExitData, "export", "audit", "half").err.String(), `has a column "label_corrected" already`)
	if _, err := os.Stat(filepath.Join(dir, "half")); err == nil {
		t.Error("an export that failed leaves a folder")
	}
	parts["train-00001-of-00002"][0].Note = "changed"
	if err := parquet.WriteFile(filepath.Join(data, "train-00001-of-00002.parquet"), written[90:], parquet.KeyValueMetadata("huggingface", ofDatasets)); err != nil {
		t.Fatal(err)
	}
	contains(t, "stderr", run(app.ExitData, "export", "audit", "late").err.String(), "hub has changed since the audit")
}
