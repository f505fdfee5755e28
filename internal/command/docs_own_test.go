package command

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/npy"
)

// Every command of docs/own-data.md works on small data in each form, with fewer epochs;
// a review is a server and is parsed only.
func TestOwnDataGuide(t *testing.T) {
	t.Parallel()
	guide := string(read(t, filepath.Join("..", "..", "docs", "own-data.md")))
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeOwnForms(t, dir)
	audits := runGuide(t, guide, dir, vars)
	if audits < 20 {
		t.Errorf("%d audits", audits)
	}
	for _, name := range []string{"photos", "resnet", "features", "by-order", "parquet", "pixels", "p", "p-csv", "p-parquet"} {
		s, err := audit.At(filepath.Join(dir, "audits", name)).Summary()
		if err != nil || s.Examples != ownCount {
			t.Errorf("%s: %d examples, %v", name, s.Examples, err)
		}
	}
	for _, file := range []string{"X.npy", "photos/cat/00.png"} { // data is read only
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// runGuide writes the configurations of a page and runs its commands, and returns the number of audits.
func runGuide(t *testing.T, guide, dir string, vars map[string]string) (audits int) {
	t.Helper()
	top := app.Program(Default()).Complete().App("losscorr", "")
	top.Commands = commands(app.Program(Default()))
	for _, b := range regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		if b[1] == "yaml" {
			write(t, filepath.Join(dir, strings.TrimPrefix(strings.SplitN(b[2], "\n", 2)[0], "# ")), []byte(b[2]))
			continue
		}
		for line := range strings.Lines(b[2]) {
			words := strings.Fields(line)
			if _, err := app.Permute(top, words); err != nil {
				t.Errorf("%s%v", line, err)
			}
			switch words[1] {
			case "review":
				if !slices.Contains(words, "--write") {
					continue
				}
			case "audit":
				words = append(words, "--quiet")
				if !slices.Contains(words, "--probabilities") { // which train no network
					words = append(words, "epochs=1", "batch_size=16")
				}
				audits++
			case "train":
				words = append(words, "batch_size=16", "epochs=2", "--quiet")
			}
			start(t, dir, vars, words[1:]...).ends(t, 0)
		}
	}
	return audits
}

// Every command of docs/round-trips.md works.
func TestRoundTripsGuide(t *testing.T) {
	t.Parallel()
	guide := string(read(t, filepath.Join("..", "..", "docs", "round-trips.md")))
	dir := t.TempDir()
	vars := realVars(t, dir)
	writeOwnForms(t, dir)
	runGuide(t, guide, dir, vars)
	for _, name := range []string{"instances_train", "project", "animals"} {
		s, err := audit.At(filepath.Join(dir, "audits", name)).Summary()
		if err != nil || s.Examples != ownCount {
			t.Errorf("%s: %d examples, %v", name, s.Examples, err)
		}
	}
}

// ownCount is the number of examples of each form of writeOwnForms.
const ownCount = 64

// ownRow is an example of a table.
type ownRow struct {
	ID, Text, Label string
	Width, Height   float64
}

// writeOwnForms writes examples of two classes in every form that docs/own-data.md names.
func writeOwnForms(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	classes := []string{"cat", "dog"}
	var rows []ownRow
	var features, chances []float32
	var pixels []byte
	files := map[string][]byte{}
	labels, lines, described := "file_name,label\n", "", "file_name,label\n"
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
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		files["photos/"+classes[class]+"/"+name] = b.Bytes()
		files["splits/"+[]string{"train", "train", "val", "test"}[k/2%4]+"/"+classes[class]+"/"+name] = b.Bytes()
		files["images/"+name], files["described/"+name] = b.Bytes(), b.Bytes()
		given := class
		if k%16 == 0 {
			given = 1 - class
		}
		row := ownRow{fmt.Sprint("r", k), []string{"it purrs and sleeps", "it barks and runs"}[class] + fmt.Sprint(" ", k), classes[given], float64(class) + rng.Float64(), rng.Float64()}
		rows = append(rows, row)
		labels += name + "," + row.Label + "\n"
		described += name + "," + row.Label + "\n"
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
	files["described/metadata.csv"], files["labels.csv"], files["labels.txt"], files["y.txt"] = []byte(described), []byte(labels), []byte(lines), []byte(lines)
	files["reviews.csv"], files["reviews.tsv"], files["reviews.jsonl"] = reviews[0].Bytes(), reviews[1].Bytes(), reviews[2].Bytes()
	files["flowers.csv"], files["labelled.csv"], files["p.csv"] = []byte(flowers), []byte(labelled), []byte(p)
	files["backbone.pt2"] = read(t, filepath.Join("..", "..", "torch", "export", "testdata", "cifar10.pt2"))
	files["pixels.npy"] = npyFile("|u1", fmt.Sprintf("(%d, 12, 12)", ownCount), pixels)
	var numbers []byte
	for _, row := range rows {
		class := uint64(0)
		if row.Label == "dog" {
			class = 1
		}
		numbers = binary.LittleEndian.AppendUint64(numbers, class)
	}
	files["y.npy"] = npyFile("<i8", fmt.Sprintf("(%d,)", ownCount), numbers)
	files["y_test.npy"] = files["y.npy"]
	files["instances_train.json"] = boxes(rows)
	files["audits/photos/decisions.csv"] = []byte("id,given,label,decision,time\ncat/00.png,cat,cat,accept,2026-01-02T03:04:05Z\n")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
	}
	writeOwnBinaries(t, dir, rows, features, chances)
}

// boxes are COCO annotations, one box in each image.
func boxes(rows []ownRow) []byte {
	var images, annotations []string
	for k, row := range rows {
		images = append(images, fmt.Sprintf(`{"id": %d, "file_name": "%02d.png"}`, k, k))
		annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": %d, "bbox": [2, 2, 9.5, 9.5]}`, k, k, slices.Index([]string{"cat", "dog"}, row.Label)))
	}
	return []byte(`{"images": [` + strings.Join(images, ", ") + `], "annotations": [` + strings.Join(annotations, ", ") +
		`], "categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}]}`)
}

// writeOwnBinaries writes the forms that libraries write.
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
		animals = append(animals, embeddedRow{Image: embeddedImage{Bytes: photo}, Kind: int64(slices.Index([]string{"cat", "dog"}, r.Label))})
		all = append(all, chance{chances[2*k], chances[2*k+1]})
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	err := z.AddFS(os.DirFS(filepath.Join(dir, "photos")))
	for _, e := range []error{
		err, z.Close(),
		os.WriteFile(filepath.Join(dir, "project.json"), []byte("["+strings.Join(tasks, ",")+"]"), 0o644),
		os.WriteFile(filepath.Join(dir, "photos.zip"), archive.Bytes(), 0o644),
		parquet.WriteFile(filepath.Join(dir, "reviews.parquet"), reviews),
		parquet.WriteFile(filepath.Join(dir, "p.parquet"), all),
		parquet.WriteFile(filepath.Join(dir, "animals.parquet"), animals, parquet.KeyValueMetadata("huggingface", ofDatasets)),
		npy.WriteFloat32(filepath.Join(dir, "X.npy"), features, 2),
		npy.WriteFloat32(filepath.Join(dir, "X_test.npy"), features, 2),
		npy.WriteFloat32(filepath.Join(dir, "p.npy"), chances, 2),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
}

// npyFile is an NPY file of version 1.
func npyFile(kind, shape string, content []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	return append(append(out, header...), content...)
}
