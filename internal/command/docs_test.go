package command

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/datatest"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
)

// guide is a page of docs/ whose commands work on small data.
type guide struct {
	write    func(t *testing.T, dir string) // writes the data; nil: only parse the commands
	commands int                            // least number of commands
	short    bool                           // fewer epochs, and fewer folds of audits
	audits   []string                       // audits of writeOwnForms' examples
	leaves   map[string]int                 // expected number of files for each pattern
}

// Every command in the guides works as written, on small data; review, a server, is only parsed.
func TestGuides(t *testing.T) {
	digits := func(t *testing.T, dir string) {
		datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	}
	runs := func(t *testing.T, dir string) {
		finished(t, filepath.Join(dir, "runs", "mnist"), "aaaaaaaaaaaa", "forward", 1)
		finished(t, filepath.Join(dir, "runs", "mnist"), "bbbbbbbbbbbb", "forward", 2)
	}
	for page, g := range map[string]guide{
		"configuration": {write: digits, commands: 8, leaves: map[string]int{"runs/run/*/" + store.ResultFile: 2}},
		"clusters":      {commands: 13},
		"experiments": {
			write: runs, commands: 6,
			leaves: map[string]int{"report/runs.csv": 1, "report/report.html": 1, "table2/table.tex": 1},
		},
		"own-data": {
			write: writeOwnForms, commands: 35, short: true, leaves: map[string]int{"X.npy": 1, "photos/cat/00.png": 1},
			audits: []string{"photos", "resnet", "features", "by-order", "parquet", "pixels", "p", "p-csv", "p-parquet"},
		},
		"round-trips": {
			write: writeOwnForms, commands: 9, short: true, audits: []string{"instances_train", "project", "animals"},
		},
		"annotators": {
			write: writeCrowd, commands: 3, leaves: map[string]int{"crowd/*.html": 2, "trained/*/result.json": 3},
		},
	} {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			text := string(read(t, "..", "..", "docs", page+".md"))
			if g.write != nil {
				g.write(t, dir)
			}
			if n := g.run(t, text, dir); n < g.commands {
				t.Errorf("%d commands, want %d at least", n, g.commands)
			}
			for _, name := range g.audits {
				s, err := audit.At(filepath.Join(dir, "audits", name)).Summary()
				if err != nil || s.Examples != ownCount {
					t.Errorf("%s: %d examples, %v", name, s.Examples, err)
				}
			}
			for pattern, n := range g.leaves {
				glob(t, n, dir, pattern)
			}
			if page == "annotators" { // its table names the files of an audit
				for _, m := range regexp.MustCompile(`(?m)^\| ([A-Za-z_]+\.[a-z]+) \|`).FindAllStringSubmatch(text, -1) {
					read(t, dir, "crowd", m[1])
				}
			}
		})
	}
}

// run writes the configurations of a page, runs its commands in dir and counts them.
func (g guide) run(t *testing.T, text, dir string) (n int) {
	t.Helper()
	top := Default().line()
	vars := realVars(t, dir)
	for _, b := range regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		if b[1] == "yaml" {
			name := strings.TrimPrefix(strings.SplitN(b[2], "\n", 2)[0], "# ")
			write(t, filepath.Join(dir, name), []byte(b[2]))
			continue
		}
		for line := range strings.Lines(b[2]) {
			words := strings.Fields(line)
			if _, err := app.Permute(top, words); err != nil {
				t.Errorf("%s%v", line, err)
			}
			n++
			if g.write == nil || words[1] == "review" && !slices.Contains(words, "--write") {
				continue
			}
			networks := words[1] == "train" || words[1] == "audit" && !slices.Contains(words, "--probabilities")
			if networks && g.short {
				words = append(words, "batch_size=16", "epochs=2", "--quiet")
				if words[1] == "audit" {
					words = append(words, "--folds", "2")
				}
			}
			call(t, dir, vars, words[1:]...).ends(t, 0)
		}
	}
	return n
}

// ownCount is the number of examples of each form of writeOwnForms.
const ownCount = 64

// ownRow is an example of a table.
type ownRow struct {
	ID, Text, Label string
	Width, Height   float64
}

// writeOwnForms writes examples of two classes in every format of docs/own-data.md.
func writeOwnForms(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	classes := []string{"cat", "dog"}
	var rows []ownRow
	var features, chances []float32
	var pixels []byte
	files := map[string][]byte{}
	labels, lines := "file_name,label\n", ""
	reviews := []*bytes.Buffer{bytes.NewBufferString("id,text,label\n"), bytes.NewBufferString("id\ttext\tlabel\n"), {}}
	flowers, labelled, p := "width,height,label\n", "label,truth\n", "cat,dog\n"
	for k := range ownCount {
		class := k % 2
		name := fmt.Sprintf("%02d.png", k)
		img := image.NewGray(image.Rect(0, 0, 12, 12))
		for i := range img.Pix {
			img.Pix[i] = byte(rng.IntN(90) + 150*class)
		}
		img.Set(k%12, k/12, color.White)
		pixels = append(pixels, img.Pix...)
		var b bytes.Buffer
		expect.OK(t, png.Encode(&b, img))
		files["photos/"+classes[class]+"/"+name] = b.Bytes()
		files["splits/"+[]string{"train", "train", "val", "test"}[k/2%4]+"/"+classes[class]+"/"+name] = b.Bytes()
		files["images/"+name], files["described/"+name] = b.Bytes(), b.Bytes()
		given := class
		if k%16 == 0 {
			given = 1 - class
		}
		row := ownRow{fmt.Sprint("r", k), []string{"it purrs and sleeps", "it barks and runs"}[class] + fmt.Sprint(" ", k),
			classes[given], float64(class) + rng.Float64(), rng.Float64()}
		rows = append(rows, row)
		labels += name + "," + row.Label + "\n"
		lines += row.Label + "\n"
		labelled += row.Label + "," + classes[class] + "\n"
		fmt.Fprintf(reviews[0], "%s,%s,%s\n", row.ID, row.Text, row.Label)
		fmt.Fprintf(reviews[1], "%s\t%s\t%s\n", row.ID, row.Text, row.Label)
		fmt.Fprintf(reviews[2], "{\"id\": %q, \"text\": %q, \"label\": %q}\n", row.ID, row.Text, row.Label)
		flowers += fmt.Sprintf("%.3f,%.3f,%s\n", row.Width, row.Height, row.Label)
		features = append(features, float32(row.Width), float32(row.Height))
		dog := float32(class)*.75 + .125
		chances = append(chances, 1-dog, dog)
		p += fmt.Sprintf("%v,%v\n", 1-dog, dog)
	}
	for name, text := range map[string]string{
		"described/metadata.csv": labels, "labels.csv": labels, "labels.txt": lines, "y.txt": lines,
		"reviews.csv": reviews[0].String(), "reviews.tsv": reviews[1].String(), "reviews.jsonl": reviews[2].String(),
		"flowers.csv": flowers, "labelled.csv": labelled, "p.csv": p,
	} {
		files[name] = []byte(text)
	}
	files["backbone.pt2"] = read(t, filepath.Join("..", "..", "torch", "export", "testdata", "cifar10.pt2"))
	var numbers []int64
	for _, row := range rows {
		numbers = append(numbers, int64(slices.Index(classes, row.Label)))
	}
	files["pixels.npy"] = []byte(datasettest.Array("|u1", fmt.Sprintf("%d, 12, 12", ownCount), pixels))
	files["y.npy"] = []byte(datasettest.Array("<i8", fmt.Sprintf("%d,", ownCount), numbers))
	files["y_test.npy"] = files["y.npy"]
	files["instances_train.json"] = boxes(rows)
	files["audits/photos/decisions.jsonl"] = []byte(`{"schema":1}
{"id":"cat/00.png","given":"cat","answer":"accept","label":"cat","time":"2026-01-02T03:04:05Z"}
`)
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		makeFolder(t, filepath.Dir(path))
		write(t, path, content)
	}
	writeOwnBinaries(t, dir, rows, features, chances)
}

// boxes returns COCO annotations, one box in each image.
func boxes(rows []ownRow) []byte {
	var images, annotations []string
	for k, row := range rows {
		images = append(images, fmt.Sprintf(`{"id": %d, "file_name": "%02d.png"}`, k, k))
		annotations = append(annotations,
			fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": %d, "bbox": [2, 2, 9.5, 9.5]}`, k, k,
				slices.Index([]string{"cat", "dog"}, row.Label)))
	}
	return []byte(`{"images": [` + strings.Join(images, ", ") + `], "annotations": [` + strings.Join(annotations, ", ") +
		`], "categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}]}`)
}

// writeOwnBinaries writes binary formats.
func writeOwnBinaries(t *testing.T, dir string, rows []ownRow, features, chances []float32) {
	t.Helper()
	type review struct {
		ID    string `parquet:"id"`
		Text  string `parquet:"text"`
		Label string `parquet:"label"`
	}
	type chance struct {
		Cat float32 `parquet:"cat"`
		Dog float32 `parquet:"dog"`
	}
	var reviews []review
	var all []chance
	var tasks []string
	var animals []embeddedRow
	for k, r := range rows {
		tasks = append(tasks, fmt.Sprintf(`{"id":%d,"data":{"text":%q},"annotations":[{"result":[{"type":"choices","value":{"choices":[%q]}}]}]}`, k, r.Text, r.Label))
		reviews = append(reviews, review{r.ID, r.Text, r.Label})
		photo := read(t, filepath.Join(dir, "images", fmt.Sprintf("%02d.png", k)))
		animals = append(animals, embeddedRow{Image: embeddedImage{Bytes: photo},
			Kind: int64(slices.Index([]string{"cat", "dog"}, r.Label))})
		all = append(all, chance{chances[2*k], chances[2*k+1]})
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	expect.OK(t, errors.Join(z.AddFS(os.DirFS(filepath.Join(dir, "photos"))), z.Close()))
	write(t, filepath.Join(dir, "project.json"), []byte("["+strings.Join(tasks, ",")+"]"))
	write(t, filepath.Join(dir, "photos.zip"), archive.Bytes())
	expect.OK(t, errors.Join(
		parquet.WriteFile(filepath.Join(dir, "reviews.parquet"), reviews),
		parquet.WriteFile(filepath.Join(dir, "p.parquet"), all),
		parquet.WriteFile(filepath.Join(dir, "animals.parquet"), animals, parquet.KeyValueMetadata("huggingface",
			ofDatasets)),
		npy.WriteFloat32(filepath.Join(dir, "X.npy"), features, 2),
		npy.WriteFloat32(filepath.Join(dir, "X_test.npy"), features, 2),
		npy.WriteFloat32(filepath.Join(dir, "p.npy"), chances, 2),
	))
}

// Every results/*.csv that README, CONTRIBUTING and the guides name exists.
func TestFiguresOfTheGuides(t *testing.T) {
	figures := regexp.MustCompile(`\bresults/[\w./-]+\.csv\b`)
	root := os.DirFS(filepath.Join("..", ".."))
	for _, pattern := range []string{"*.md", "docs/*.md", "results/*.md", "results/*/*.md"} {
		for _, page := range expect.Got(fs.Glob(root, pattern))(t) {
			for _, name := range figures.FindAll(expect.Got(fs.ReadFile(root, page))(t), -1) {
				if _, err := fs.Stat(root, string(name)); err != nil {
					t.Errorf("%s names %s: %v", page, name, err)
				}
			}
		}
	}
}

// docs/own-loss.md works word for word: the program trains with the loss of plain operations,
// and the gradients of both forms are right. An overlay shows the files to the go command as
// a folder of this module.
func TestOwnLossGuide(t *testing.T) {
	slow(t)
	dir, vars := workplace(t)
	datatest.Digits(t, filepath.Join(dir, "data", "mnist"), 200, 50)
	guide := string(read(t, filepath.Join("..", "..", "docs", "own-loss.md")))
	files := map[string][]string{}
	for _, b := range regexp.MustCompile("(?ms)^```(go|yaml)\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		name := regexp.MustCompile(`^(//|#) (\S+)\n`).FindStringSubmatch(b[2])[2]
		files[name] = append(files[name], b[2])
	}
	if len(files["focal.go"]) != 2 || len(files["main.go"]) != 1 || len(files["focal_test.go"]) != 1 {
		t.Fatalf("the guide has the files %v", files)
	}
	write(t, filepath.Join(dir, "run.yaml"), []byte(files["run.yaml"][0]))
	root := expect.Got(filepath.Abs(".."))(t)
	for form, text := range files["focal.go"] {
		replaced := map[string]string{}
		for name, text := range map[string]string{"focal.go": text, "main.go": files["main.go"][0],
			"focal_test.go": files["focal_test.go"][0]} {
			path := filepath.Join(t.TempDir(), name)
			write(t, path, []byte(text))
			replaced[filepath.Join(root, "cmd", "own", name)] = path
		}
		places := expect.Got(json.Marshal(map[string]any{"Replace": replaced}))(t)
		overlay := filepath.Join(dir, "overlay.json")
		write(t, overlay, places)
		run := func(args ...string) {
			cmd := exec.Command("go", append(args, "./cmd/own")...)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("form %d: go %s: %v\n%s", form+1, strings.Join(args, " "), err, out)
			}
		}
		tests := filepath.Join(dir, "own.test")
		run("test", "-c", "-vet=off", "-overlay", overlay, "-buildvcs=false", "-o", tests)
		startProgram(t, tests, dir, vars, "-test.run", "TestGradient").ends(t, 0)
		if form > 0 {
			break // both train alike
		}
		own := filepath.Join(dir, "own")
		run("build", "-overlay", overlay, "-buildvcs=false", "-o", own)
		startProgram(t, own, dir, vars, "train", "run.yaml").ends(t, app.ExitDone)
		if r := theResult(t, filepath.Join(dir, "runs", "run")); r.Config.Loss != "focal" || r.State != store.Done {
			t.Errorf("the run is %+v", r)
		}
		startProgram(t, own, dir, vars, "train", "run.yaml", "loss=foca").
			fails(t, app.ExitConfig, `did you mean "focal"?`)
	}
}
